import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { datasetFolder, type Files, soundTask } from '../testing/dataset-folder.ts';
import { sentenceOf } from './finding.ts';
import { RULES } from './rules.ts';
import { validateDataset, validateTask } from './validate.ts';

const SOUND = soundTask();

/** What is found in a sound dataset with these changes; a pair replaces a text in a file of the task. */
function found(changes: Readonly<Record<string, Files[string] | readonly [string | RegExp, string]>>): string[] {
  const files: Record<string, string | Buffer | null> = {};
  for (const [path, change] of Object.entries(changes)) {
    if (change === null || typeof change === 'string' || Buffer.isBuffer(change)) files[path] = change;
    else files[`leak-1/${path}`] = (SOUND[`leak-1/${path}`] ?? '').replace(change[0], change[1]);
  }
  using folder = datasetFolder(files);
  return validateDataset(folder.dir).findings.map((it) => [it.task, sentenceOf(it)].filter(Boolean).join(': '));
}

const CONFIG = 'sse/config.yaml';
const DOCKER = 'Dockerfile';

/** What makes other things wrong as well. */
const FOLLOWED = new Set(['a name that is no ID', 'a tab in a config', 'an unknown key']);

test('nothing is said about a sound task', () => {
  expect(found({})).toEqual([]);
});

test.each<[string, Parameters<typeof found>[0], string]>([
  ['no dataset.yaml', { 'dataset.yaml': null }, 'dataset.yaml: no such file [dataset-info]'],
  [
    'a dataset.yaml with more keys',
    { 'dataset.yaml': 'version: a\nname: b\n' },
    'dataset.yaml:2: name: unknown key, allowed: version [dataset-info]',
  ],
  [
    'a version in capitals',
    { 'dataset.yaml': 'version: A\n' },
    'dataset.yaml:1: version: must be lower-case letters and digits separated by ".", "_" or "-", found "A" [dataset-info]',
  ],
  ['no task', { 'leak-1': null, '.hidden/x': '' }, 'has no task folder [no-tasks]'],
  [
    'a name that is no ID',
    { 'a b/sse/x': '' },
    'a b: the folder\'s name must be letters and digits separated by ".", "_" or "-", found "a b" [task-id]',
  ],
  ['no config', { 'leak-1/sse/config.yaml': null }, 'leak-1: sse/config.yaml: no such file [config]'],
  [
    'a config that is a folder',
    { 'leak-1/sse/config.yaml': null, 'leak-1/sse/config.yaml/x': '' },
    'leak-1: sse/config.yaml: no such file [config]',
  ],
  ['a config that is no YAML', { [CONFIG]: ['id:', 'id: ['] }, 'leak-1: sse/config.yaml:2: '],
  [
    'a tab in a config',
    { [CONFIG]: ['  build', '\tbuild'] },
    'leak-1: sse/config.yaml:10: Tabs are not allowed as indentation [config]',
  ],
  [
    'a key that comes twice',
    { [CONFIG]: ['language: c', 'language: c\nproject: b'] },
    'leak-1: sse/config.yaml:5: Map keys must be unique [config]',
  ],
  [
    'a config of 10 MB',
    { 'leak-1/sse/config.yaml': Buffer.alloc(10e6, 'a') },
    'leak-1: sse/config.yaml: is larger than 1 MiB [config]',
  ],
  [
    'an unknown key',
    { [CONFIG]: ['language:', 'langauge:'] },
    'leak-1: sse/config.yaml:4: langauge: unknown key, did you mean "language"? [config]',
  ],
  [
    'another language',
    { [CONFIG]: ['language: c', 'language: java'] },
    'leak-1: sse/config.yaml:4: language: must be one of c, go, rust, found "java" [config]',
  ],
  [
    'an unknown key below',
    { [CONFIG]: ['  poc:', '  pocs:'] },
    'leak-1: sse/config.yaml:15: files.pocs: unknown key, did you mean "poc"? [config]',
  ],
  [
    'a list with a wrong item',
    { [CONFIG]: ['- pocs/a', '- /pocs/a'] },
    'leak-1: sse/config.yaml:16: files.poc[0]: must be relative to /ssebench, found "/pocs/a" [config]',
  ],
  [
    'nothing that the agent is told',
    { [CONFIG]: [/task_description:\n.*\n.*\n/, 'task_description: {}\n'] },
    'leak-1: sse/config.yaml:6: task_description: needs at least one of issue, crash_report and bug_description [config]',
  ],
  [
    'another id',
    { [CONFIG]: ['id: leak-1', 'id: leak-2'] },
    'leak-1: sse/config.yaml:1: id: must be the folder\'s name "leak-1", found "leak-2" [id-differs]',
  ],
  ['no Dockerfile', { 'leak-1/Dockerfile': null }, 'leak-1: Dockerfile: no such file [dockerfile]'],
  ['a Dockerfile without FROM', { 'leak-1/Dockerfile': '# nothing\n' }, 'leak-1: Dockerfile: has no FROM [dockerfile]'],
  [
    'a COPY of one word',
    { [DOCKER]: ['COPY src /src/leak', 'COPY src'] },
    'leak-1: Dockerfile:3: COPY: found "src", must be at least one source and a destination [dockerfile]',
  ],
  [
    'a COPY in broken JSON',
    { [DOCKER]: ['COPY src /src/leak', 'COPY ["src", "/src/leak"'] },
    'leak-1: Dockerfile:3: COPY: found "["src", "/src/leak"", must be a JSON list of at least two texts [dockerfile]',
  ],
  [
    'a FROM of too much',
    { [DOCKER]: [':1.0.0', ':1.0.0 AS'] },
    `leak-1: Dockerfile:2: FROM: found "\${SSEBENCH_REGISTRY}/base-generic-c:1.0.0 AS", must be an image, or an image AS a name [dockerfile]`,
  ],
  [
    'another base',
    { [DOCKER]: [`\${SSEBENCH_REGISTRY}/base-generic-c:1.0.0`, 'debian:13'] },
    `leak-1: Dockerfile:2: the last stage starts from "debian:13", must be an image under \${SSEBENCH_REGISTRY}/ [base-image]`,
  ],
  [
    'no ARG',
    { [DOCKER]: [/^ARG.*\n/, ''] },
    'leak-1: Dockerfile:1: FROM uses SSEBENCH_REGISTRY, but no ARG SSEBENCH_REGISTRY precedes it [registry-arg]',
  ],
  [
    'the tag latest',
    { [DOCKER]: [':1.0.0', ':latest'] },
    `leak-1: Dockerfile:2: the last stage starts from "\${SSEBENCH_REGISTRY}/base-generic-c:latest", must have a version other than latest, or a digest [base-pinned]`,
  ],
  [
    'no tag',
    { [DOCKER]: [':1.0.0', ''] },
    `leak-1: Dockerfile:2: the last stage starts from "\${SSEBENCH_REGISTRY}/base-generic-c", must have a version other than latest, or a digest [base-pinned]`,
  ],
  [
    'a tag of a variable without a value',
    { [DOCKER]: [':1.0.0', ':$NONE'] },
    `leak-1: Dockerfile:2: the last stage starts from "\${SSEBENCH_REGISTRY}/base-generic-c:", must have a version other than latest, or a digest [base-pinned]`,
  ],
  [
    'a base of another language',
    { [DOCKER]: ['generic-c', 'generic-go'] },
    'leak-1: Dockerfile:2: warning: the last stage starts from base-generic-go, but the config says language: c [base-language]',
  ],
  [
    'a COPY of what is not there',
    { [DOCKER]: ['COPY sse/pocs', 'COPY harness /h\nCOPY sse/pocs'] },
    'leak-1: Dockerfile:9: COPY takes "harness", which does not exist in the task folder [copy-source]',
  ],
  [
    'a COPY from outside',
    { [DOCKER]: ['COPY sse/pocs', 'COPY ../other /h\nCOPY sse/pocs'] },
    'leak-1: Dockerfile:9: COPY takes "../other", which is not below the task folder [copy-source]',
  ],
  [
    'a config that is not copied',
    { [DOCKER]: [/COPY sse\/config.*\n/, ''] },
    'leak-1: Dockerfile: puts no file of the task at /ssebench/config.yaml, must be sse/config.yaml [config-in-image]',
  ],
  [
    'another file as config',
    { [DOCKER]: ['COPY sse/config.yaml', 'COPY sse/pocs/a'] },
    'leak-1: Dockerfile: puts "sse/pocs/a" at /ssebench/config.yaml, must be sse/config.yaml [config-in-image]',
  ],
  [
    'a path that leaves the folder',
    { [CONFIG]: ['- pocs/a', '- pocs/../../etc/passwd'] },
    'leak-1: sse/config.yaml:16: files.poc[0]: "pocs/../../etc/passwd" leaves /ssebench, where all files of a task are [path-outside]',
  ],
  [
    'a file that is not there',
    { [CONFIG]: ['- pocs/a', '- pocs/b'] },
    'leak-1: sse/config.yaml:16: files.poc[0]: found "pocs/b", but the Dockerfile puts no file of the task at /ssebench/pocs/b [path-missing]',
  ],
  [
    'a file that is not copied',
    { [DOCKER]: [/COPY sse\/reports.*\n/, ''] },
    'leak-1: sse/config.yaml:8: task_description.crash_report[0]: found "reports/issue.md", but the Dockerfile puts no file of the task at /ssebench/reports/issue.md [path-missing]',
  ],
  [
    'a file that is a link to nothing',
    { 'leak-1/sse/pocs/a': '->nowhere' },
    'leak-1: sse/config.yaml:16: files.poc[0]: found "pocs/a", but the Dockerfile puts no file of the task at /ssebench/pocs/a; sse/pocs/a is a link that leads to no file [path-missing]',
  ],
  [
    'a link out of the folder',
    { 'leak-1/sse/pocs/out': '->/etc/passwd' },
    'leak-1: sse/pocs/out: is a link out of the task folder, to /etc/passwd [link-out]',
  ],
  [
    'a mark',
    { 'leak-1/sse/run.sh': '#!/bin/sh\n# FILL-IN: what shows the bug\nbuild/leak "$1"\n' },
    'leak-1: sse/run.sh:2: still to be written: what shows the bug [fill-in]',
  ],
])('%s is told with its place', (name, changes, sentence) => {
  const all = found(changes);
  expect(all.map((it) => it.slice(0, sentence.length))).toContain(sentence);
  if (!FOLLOWED.has(name)) expect(all).toHaveLength(1);
});

test.each(['sse/pocs', 'sse/pocs/a', 'sse/config.yaml', 'Dockerfile', 'sse', 'src'])(
  '%s that is a link out of the folder is one message',
  (path) => {
    expect(found({ [`leak-1/${path}`]: '->/etc/passwd' })).toEqual([
      `leak-1: ${path}: is a link out of the task folder, to /etc/passwd [link-out]`,
    ]);
  },
);

test('what a build is not sent is not there', () => {
  const away = 'is left out of the build by .dockerignore';
  expect(found({ 'leak-1/.dockerignore': 'sse/pocs\n' })).toEqual([
    `leak-1: Dockerfile:9: COPY takes "sse/pocs", which ${away} [copy-source]`,
    `leak-1: sse/config.yaml:16: files.poc[0]: found "pocs/a", but the Dockerfile puts no file of the task at /ssebench/pocs/a; sse/pocs/a ${away} [path-missing]`,
  ]);
  expect(found({ 'leak-1/.dockerignore': 'sse/diffs\n!sse/diffs/patch.diff\n' })).toEqual([
    `leak-1: sse/config.yaml:17: files.future_test: found "diffs/test.diff", but the Dockerfile puts no file of the task at /ssebench/diffs/test.diff; sse/diffs/test.diff ${away} [path-missing]`,
  ]);
  expect(found({ 'leak-1/.dockerignore': '*\n!src\n!sse\n' })).toEqual([]);
  expect(found({ 'leak-1/.dockerignore': 'doc\n[\n' })).toEqual([
    'leak-1: .dockerignore:2: is no pattern [dockerignore]',
  ]);
  const copied = { [DOCKER]: ['COPY sse/pocs', 'COPY sse/tests.json /x\nCOPY sse/pocs'] } as const;
  expect(found({ ...copied, 'leak-1/sse/tests.json': '{"function_test": null, "intent_test": null}' })).toContain(
    'leak-1: Dockerfile:9: COPY takes "sse/tests.json", which is never in an image: it proves the task [copy-source]',
  );
});

test('a task folder that is a link is told', () => {
  expect(found({ other: '->leak-1' })).toEqual([
    'other: is a link to a folder; a task is a folder of the dataset itself [link-out]',
  ]);
});

test('two folders whose images would have one name are told', () => {
  expect(found(soundTask('LEAK-1'))).toEqual(['the tasks LEAK-1 and leak-1 would share one image name [same-image]']);
});

test('two tasks with one id: the one whose folder has another name is told', () => {
  const second = Object.fromEntries(
    Object.entries(SOUND).map(([path, text]) => [path.replace('leak-1', 'leak-2'), text]),
  );
  expect(found(second)).toEqual([
    'leak-2: sse/config.yaml:1: id: must be the folder\'s name "leak-2", found "leak-1" [id-differs]',
  ]);
});

test('anchors that multiply beyond measure are one problem', () => {
  const bomb = 'bcdefghij'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]`);
  expect(found({ 'leak-1/sse/config.yaml': `a: &a [x, x]\n${bomb.join('\n')}\n` })).toEqual([
    expect.stringMatching(/^leak-1: sse\/config\.yaml:1: Excessive alias count .* \[config\]$/),
  ]);
});

test('every problem of every task is listed at once', () => {
  const second = soundTask('leak-2');
  const broken = { 'leak-2/Dockerfile': 'FROM x\n', 'leak-2/sse/config.yaml': 'id: 7\n', 'dataset.yaml': null };
  const all = found({ ...second, ...broken, [CONFIG]: ['language: c', 'language: java\nextra: 1'] });
  expect(all.length).toBeGreaterThan(8);
  expect(new Set(all.map((it) => it.split(':')[0]))).toEqual(new Set(['dataset.yaml', 'leak-1', 'leak-2']));
});

test('a pipe in a task folder is told, and read by nobody', () => {
  using folder = datasetFolder();
  spawnSync('mkfifo', [join(folder.dir, 'leak-1/sse/pocs/pipe')]);
  expect(validateTask(join(folder.dir, 'leak-1')).findings.map(sentenceOf)).toEqual([
    'sse/pocs/pipe: is neither a file, a folder nor a link [special-file]',
  ]);
});

test('a name that is not UTF-8 is told', () => {
  using folder = datasetFolder();
  writeFileSync(Buffer.concat([Buffer.from(`${folder.dir}/leak-1/sse/pocs/`), Buffer.from([0x61, 0xff])]), '');
  expect(validateTask(join(folder.dir, 'leak-1')).findings.map(sentenceOf)).toEqual([
    'sse/pocs/a\ufffd: its name is not UTF-8 [file-name]',
  ]);
});

test.runIf(process.getuid?.() !== 0)('what can not be read is told', () => {
  using folder = datasetFolder();
  chmodSync(join(folder.dir, 'leak-1/sse/run.sh'), 0);
  expect(validateTask(join(folder.dir, 'leak-1')).findings.map(sentenceOf)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^sse\/run\.sh: can't be read: .* \[unreadable\]$/)]),
  );
});

test('every rule is tried here or among the warnings', () => {
  const tests = ['validate.test.ts', 'warnings.test.ts'].map((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  );
  const tried = new Set(tests.flatMap((text) => [...text.matchAll(/\[([a-z-]+)\\?\]/g)].map(([, rule]) => rule)));
  expect(Object.keys(RULES).filter((rule) => !tried.has(rule))).toEqual([]);
});

test('a folder that never was a dataset is one message', () => {
  using folder = datasetFolder({ 'dataset.yaml': null, 'leak-1': null, 'a/x': '', 'b/y': '' });
  expect(() => validateDataset(folder.dir)).toThrow(
    /: is no dataset: it has no dataset\.yaml, and no folder of a task/,
  );
  expect(() => validateDataset(join(folder.dir, 'a/x'))).toThrow(/: is not a folder$/);
  expect(() => validateDataset(join(folder.dir, 'c'))).toThrow(/: no such folder$/);
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { cliFolder } from '../../cli/test-cli.ts';
import { soundTask } from '../testing/dataset-folder.ts';
import { sentenceOf } from '../validate/finding.ts';
import { validateDataset } from '../validate/validate.ts';
import { newTaskFiles } from './new-task.ts';
import { ask } from './questions.ts';

const COMMIT = '9f58baa7a613f89dfdc764c39e47fd3a15606153';
const FIX = 'bf4efcb3c18d1825b2988603dea5909140a5302b';
const BASIC = ['--project', 'Leak', '--repository', 'https://example.org/leak', '--dataset', 'mine'];

/** As an author does: every mark is replaced, the diffs by diffs. */
function fillIn(dir: string): void {
  for (const path of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!path.isFile()) continue;
    const file = join(path.parentPath, path.name);
    const diff = soundTask()[`leak-1/sse/diffs/${path.name}`];
    const filled = readFileSync(file, 'utf8')
      .replace(/"FILL-IN: [^"]*commit[^"]*"/g, () => (path.name === 'Dockerfile' ? COMMIT : `"${FIX}"`))
      .replace(/^trigger_commit.*$/m, `trigger_commit: ${COMMIT}`)
      .replace(/FILL-IN: ?/g, '');
    writeFileSync(file, diff ?? filled);
  }
}

test.each(['c', 'go', 'rust'])('a new task in %s is valid once what is marked is filled in', (language) => {
  using home = cliFolder();
  const { status, stdout, stderr } = home.ssebench(['task', 'new', 'leak-1', '--language', language, ...BASIC]);
  expect([status, stderr]).toEqual([0, '']);
  const dir = join(home.dir, 'mine');
  const found = validateDataset(dir).findings;
  expect(found.filter(({ rule }) => rule !== 'fill-in').map(sentenceOf)).toEqual([]);
  expect(stdout).toContain(`made mine/leak-1; ${found.length} places are left to fill in`);
  expect(new Set(found.map(({ file }) => file))).toEqual(
    new Set([
      'Dockerfile',
      ...'config.yaml build.sh run.sh test.sh pocs/poc diffs/patch.diff diffs/test.diff reports/issue.md'
        .split(' ')
        .map((it) => `sse/${it}`),
    ]),
  );
  fillIn(join(dir, 'leak-1'));
  expect(validateDataset(dir).findings.map(sentenceOf)).toEqual([]);
  expect(home.ssebench(['dataset', 'validate', '--strict', 'mine'])).toEqual({
    status: 0,
    stdout: 'mine: 1 task is valid\n',
    stderr: '',
  });
});

test('what is given is not asked for again: commits, kind and report stand in the files', () => {
  const files = newTaskFiles({
    id: 'a',
    language: 'c',
    project: 'A b',
    repository: 'https://x',
    commit: COMMIT,
    fix: FIX,
    type: 'Leak: "x"',
    report: 'https://y',
  });
  expect(files['Dockerfile']).toContain(`git checkout --quiet ${COMMIT} &&`);
  expect(files['Dockerfile']).toContain('WORKDIR /src/a-b\n');
  expect(files['sse/config.yaml']).toContain(`patch_commit: "${FIX}"`);
  expect(files['sse/config.yaml']).toContain('type: "Leak: \\"x\\""');
  expect(`${files['Dockerfile']}`).not.toContain('FILL-IN');
});

test('without a terminal everything that is missing or wrong is told at once, and nothing is made', () => {
  using home = cliFolder();
  expect(home.ssebench(['task', 'new', 'a b', '--language', 'java', '--commit', 'main'])).toEqual({
    status: 2,
    stdout: '',
    stderr: [
      '--dataset is missing',
      'the ID: must be letters and digits separated by ".", "_" or "-", found "a b"',
      '--language: must be one of c, go, rust, found "java"',
      '--project is missing',
      '--repository is missing',
      '--commit: must be a full commit of 40 hexadecimal digits, found "main"',
      '',
    ].join('\n'),
  });
  expect(existsSync(join(home.dir, 'mine'))).toBe(false);
});

test('a folder that is there is left alone, and one that can not be written leaves nothing', () => {
  using home = cliFolder({ 'mine/leak-1/own': 'mine\n', file: '' });
  const make = (...more: string[]) => home.ssebench(['task', 'new', 'leak-1', '--language', 'c', ...BASIC, ...more]);
  expect(make().stderr).toBe('mine/leak-1: is there already\n');
  expect(readdirSync(join(home.dir, 'mine'))).toEqual(['leak-1']);
  expect(make('--dataset', 'file/below').stderr).toMatch(/^file\/below\/leak-1: can't be written: /);
});

test('on a terminal each question is asked until its answer is right; what was given is not asked', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(
    ['a b', 'leak-2', 'java', 'go', '', 'Leak', 'https://example.org', 'main', '', '', 'Overflow', '', ''].join('\n'),
  );
  const answers = await ask({ dataset: 'mine' }, input, output);
  output.end();
  expect(answers).toEqual({
    dataset: 'mine',
    id: 'leak-2',
    language: 'go',
    project: 'Leak',
    repository: 'https://example.org',
    type: 'Overflow',
  });
  const shown = await text(output);
  expect(shown).toContain('must be one of c, go, rust');
  expect(shown).toContain('must be given');
  expect(shown).not.toContain('Dataset folder');
});

test('an end of the input ends the questions', async () => {
  const input = new PassThrough();
  input.end('mine\n');
  expect(await ask({}, input, new PassThrough().resume())).toBeUndefined();
});

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetManifest } from '@ssebench/contracts/dataset-manifest';
import { expect, test } from 'vitest';
import { CONFIG, cliFolder } from '../../cli/test-cli.ts';
import { datasetFolder, soundTask } from '../testing/dataset-folder.ts';
import { makeManifest, renderManifest } from './make-manifest.ts';

const COMMIT = '9f58baa7a613f89dfdc764c39e47fd3a15606153';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a manifest has every task with its base, image, checks, files and whole config, in the order of the format', () => {
  using folder = datasetFolder({
    ...soundTask('Abc-2'),
    'leak-1/.hidden': 'x',
    'leak-1/10': 'ten',
    'leak-1/9': 'nine',
  });
  const manifest = makeManifest(folder.dir);
  const text = renderManifest(manifest);
  const read = DatasetManifest.parse(JSON.parse(text));
  expect(read).toEqual(manifest);
  expect(Object.keys(JSON.parse(text))).toEqual(['dataset', 'version', 'tasks']);
  expect(Object.keys(JSON.parse(text).tasks[0])).toEqual(
    'id language project repository base image arch checks files metadata'.split(' '),
  );
  expect(read.tasks.map(({ id }) => id)).toEqual(['Abc-2', 'leak-1']);
  expect(read.tasks[0]).toMatchObject({
    base: 'base-generic-c:1.0.0',
    image: `case/${read.dataset}/abc-2`.toLowerCase(),
    arch: ['amd64'],
    checks: ['build', 'poc', 'function_test', 'intent_test'],
    metadata: { sanitizer: null, trigger_commit: null, files: { security_test: null } },
  });
  expect(read.tasks[1]?.files).toMatchObject({ '.hidden': sha256('x'), '10': sha256('ten') });
});

test('files stand in the order of their paths, also those whose names are numbers', () => {
  using folder = datasetFolder({ 'leak-1/10': '', 'leak-1/9': '', 'leak-1/ä': '' });
  const lines = renderManifest(makeManifest(folder.dir)).match(/^ {8}"[^"]+(?=": "[0-9a-f]{64}")/gm) ?? [];
  const paths = lines.map((line) => line.trim().slice(1));
  expect(paths).toEqual([...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  expect(paths).toContain('10');
  expect(paths.at(-1)).toBe('ä');
});

test('the text is that of JSON with an indent of 2, with nothing escaped that need not be', () => {
  using folder = datasetFolder({
    'leak-1/sse/config.yaml': soundTask()['leak-1/sse/config.yaml']?.replace('project: leak', 'project: Lück') ?? '',
  });
  const text = renderManifest(makeManifest(folder.dir, COMMIT));
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  expect(text).toContain('"project": "Lück"');
  expect(Object.keys(JSON.parse(text))).toEqual(['dataset', 'version', 'generated_from', 'tasks']);
});

test('a check says what differs and writes nothing; the commit that the file names stays', () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  const run = (...args: string[]) => home.ssebench(['dataset', 'manifest', 'data/set', ...args]);
  expect(run('--check')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'data/set/manifest.json: missing; run: ssebench dataset manifest data/set\n',
  });
  expect(readdirSync(join(home.dir, 'data/set'))).not.toContain('manifest.json');
  expect(run('--generated-from', COMMIT)).toEqual({
    status: 0,
    stdout: 'wrote data/set/manifest.json with 1 tasks\n',
    stderr: '',
  });
  expect(run('--check')).toEqual({ status: 0, stdout: 'data/set/manifest.json is up to date\n', stderr: '' });
  home.write('data/set/leak-1/new', 'x');
  const before = statSync(join(home.dir, 'data/set/manifest.json')).mtimeMs;
  const { status, stderr } = run('--check');
  expect(status).toBe(1);
  expect(stderr.split('\n')).toEqual([
    'data/set/manifest.json: out of date; run: ssebench dataset manifest data/set',
    '  leak-1: changed: new',
    `+        "new": "${sha256('x')}",`,
    '',
  ]);
  expect(statSync(join(home.dir, 'data/set/manifest.json')).mtimeMs).toBe(before);
  expect(run('-o', '-').stdout).toContain('"new"');
  expect(run('-o', '-', '--check').status).toBe(2);
  expect(run('--generated-from', 'main').status).toBe(2);
});

test('a manifest that another program wrote is up to date when it says the same, in whatever order its keys stand', () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  const run = (...args: string[]) => home.ssebench(['dataset', 'manifest', 'data/set', ...args]);
  run();
  const path = join(home.dir, 'data/set/manifest.json');
  const reversed = (value: unknown): unknown =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .map(([key, it]): [string, unknown] => [key, reversed(it)])
            .reverse(),
        );
  const [task] = JSON.parse(readFileSync(path, 'utf8')).tasks;
  home.write('data/set/manifest.json', JSON.stringify({ version: 'set-v1', tasks: [reversed(task)], dataset: 'set' }));
  expect(run('--check')).toEqual({ status: 0, stdout: 'data/set/manifest.json is up to date\n', stderr: '' });
  home.write('data/set/manifest.json', JSON.stringify({ version: 'set-v1', tasks: [], dataset: 'set' }));
  expect(run('--check').stderr).toContain('leak-1: is not in the manifest');
});

test('a check says which tasks came, went and changed', () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  const stale = () => {
    const { stderr } = home.ssebench(['dataset', 'manifest', 'data/set', '--check']);
    return stderr.split('\n').filter((line) => line.startsWith('  '));
  };
  home.ssebench(['dataset', 'manifest', 'data/set']);
  home.write('data/set/dataset.yaml', 'version: set-v2\n');
  home.write('data/set/leak-2/sse/config.yaml', CONFIG.replace('leak-1', 'leak-2'));
  home.write('data/set/leak-2/Dockerfile', 'FROM scratch\n');
  home.remove('data/set/leak-1');
  expect(stale()).toEqual([
    '  version: is set-v2, the manifest says set-v1',
    '  leak-2: is not in the manifest',
    '  leak-1: is in the manifest alone',
  ]);
});

test('a dataset with a task that can not be read gets no manifest, and keeps the one that it has', () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n', 'data/set/manifest.json': 'as it was\n' });
  home.write('data/set/leak-1/sse/config.yaml', 'id: leak-1\n');
  home.write('data/set/leak-2/sse/config.yaml', 'id: leak-2\n');
  const { status, stderr } = home.ssebench(['dataset', 'manifest', 'data/set']);
  expect(status).toBe(1);
  expect(stderr).toMatch(/leak-1\/sse\/config\.yaml:1: project: missing/);
  expect(stderr).toMatch(/leak-2\/sse\/config\.yaml:1: project: missing/);
  expect(readFileSync(join(home.dir, 'data/set/manifest.json'), 'utf8')).toBe('as it was\n');
});

test('the schemas are written where they are wanted, and a check finds one that was changed', () => {
  using home = cliFolder();
  const run = (...args: string[]) => home.ssebench(['dataset', 'schema', '-o', 'schema', ...args]);
  expect(run().stdout).toBe('wrote 4 schemas\n');
  expect(readdirSync(join(home.dir, 'schema')).sort()).toEqual(
    ['dataset', 'images-lock', 'manifest', 'task'].map((name) => `${name}.schema.json`),
  );
  home.write('schema/task.schema.json', '{}\n');
  home.remove('schema/manifest.schema.json');
  expect(run('--check')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'schema/manifest.schema.json: missing; run: ssebench dataset schema\nschema/task.schema.json: out of date; run: ssebench dataset schema\n',
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../../cli/test-cli.ts';
import { loadTask } from '../../config/tasks.ts';

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const REVISION = '0123456789'.repeat(4);

const dataset = () => cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });

function record(home: CliFolder, change: object = {}) {
  return {
    task: 'leak-1',
    dataset: 'set',
    version: 'set-v1',
    image: 'case/set/leak-1',
    tags: ['set-v1-0123456', 'set-v1'],
    digest: digest('a'),
    files_sha256: loadTask(join(home.dir, 'data/set'), 'leak-1').filesDigest,
    revision: REVISION,
    ...change,
  };
}

const lockIn = (home: CliFolder) => readFileSync(join(home.dir, 'data/set/images.lock.json'), 'utf8');

test('a lock holds what was published, and nothing of a dataset that never was', () => {
  using home = dataset();
  expect(home.ssebench(['dataset', 'lock', 'data/set']).status).toBe(0);
  expect(lockIn(home)).toBe('{\n  "dataset": "set",\n  "version": "set-v1",\n  "images": {}\n}\n');
  const { files_sha256 } = record(home);
  home.write('out/published/leak-1.json', JSON.stringify(record(home)));
  expect(home.ssebench(['dataset', 'lock', 'data/set', '--records', 'out'])).toEqual({
    status: 0,
    stdout: 'wrote data/set/images.lock.json with 1 images\n',
    stderr: '',
  });
  expect(JSON.parse(lockIn(home))).toEqual({
    dataset: 'set',
    version: 'set-v1',
    images: { 'leak-1': { digest: digest('a'), files_sha256, revision: REVISION } },
  });
});

test('a lock that pins nothing is told, and a folder without records is refused', () => {
  using home = dataset();
  expect(home.ssebench(['dataset', 'lock', 'data/set']).stderr).toMatch(
    /^warning: .*images\.lock\.json: pins nothing yet; what dataset publish wrote down is taken in by --records\n$/,
  );
  home.remove('data/set/images.lock.json');
  home.write('results/other.txt', '');
  expect(home.ssebench(['dataset', 'lock', 'data/set', '--records', 'results'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('--records: <dir>/results: holds no record; name the output folder'),
  });
  expect(() => lockIn(home)).toThrow('ENOENT');
});

test('what is pinned stays while the task does, and goes when it changes', () => {
  using home = dataset();
  const prebuilt = { ssebench: '1', runtime: digest('b'), work: digest('c'), tool: digest('d'), agents: {} };
  home.write('out/leak-1.json', JSON.stringify(record(home, { prebuilt })));
  home.ssebench(['dataset', 'lock', 'data/set', '--records', 'out']);
  const first = lockIn(home);
  expect(JSON.parse(first).prebuilt).toEqual({ 'leak-1': prebuilt });
  home.ssebench(['dataset', 'lock', 'data/set']);
  expect(lockIn(home)).toBe(first);
  home.write('data/set/leak-1/README.md', 'changed');
  expect(home.ssebench(['dataset', 'lock', 'data/set', '--check']).status).toBe(0);
  home.ssebench(['dataset', 'lock', 'data/set']);
  expect(JSON.parse(lockIn(home))).toEqual({ dataset: 'set', version: 'set-v1', images: {} });
});

test.each([
  [{ version: 'set-v2' }, 'the record of "leak-1" is of set set-v2, the dataset is set set-v1'],
  [{ dataset: 'other' }, 'the record of "leak-1" is of other set-v1, the dataset is set set-v1'],
  [
    { files_sha256: 'f'.repeat(64) },
    'the record of "leak-1" is of other files: the task has changed since it was published',
  ],
  [{ task: 'leak-2' }, 'the record of "leak-2": the dataset has no such task'],
  [{ note: 'x' }, '<dir>/out/leak-1.json: note: unknown key'],
])('a record that says %j is refused, and nothing is written', (change, message) => {
  using home = dataset();
  home.write('out/leak-1.json', JSON.stringify(record(home, change)));
  const { status, stderr } = home.ssebench(['dataset', 'lock', 'data/set', '--records', 'out']);
  expect(status).toBe(1);
  expect(stderr.replace('out/', '<dir>/out/').replace('<dir>/<dir>', '<dir>')).toContain(message);
  expect(() => lockIn(home)).toThrow('ENOENT');
});

test.each([
  [undefined, 'missing'],
  [{ dataset: 'set', version: 'set-v2', images: {} }, 'is of set set-v2, the dataset is set set-v1'],
  [
    {
      dataset: 'set',
      version: 'set-v1',
      images: { 'leak-9': { digest: digest('a'), files_sha256: 'a'.repeat(64), revision: REVISION } },
    },
    'pins "leak-9", which is no task of the dataset',
  ],
  [{ dataset: 'set', version: 'set-v1', tasks: [] }, 'images: '],
])('--check of %j: %s', (lock, message) => {
  using home = dataset();
  if (lock) home.write('data/set/images.lock.json', JSON.stringify(lock));
  const { status, stderr } = home.ssebench(['dataset', 'lock', 'data/set', '--check']);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`images.lock.json: ${message}`) });
});

test('publish says before anything is sent what may not be published, and how to put it right', () => {
  using home = dataset();
  const publish = (...args: string[]) => home.ssebench(['dataset', 'publish', '--dir', 'data/set', ...args]);
  expect(publish().stderr).toContain("required option '--registry <prefix>' not specified");
  expect(publish('--registry', 'localhost/ssebench')).toMatchObject({ status: 2 });
  expect(publish('--registry', 'UPPER/case').stderr).toContain('--registry: "UPPER/case" is no image prefix');
});

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../../cli/test-cli.ts';
import { loadSettings } from '../../config/settings.ts';
import { openCatalog, taskOfCatalog } from './find-task.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

/** The fixture's dataset, with a manifest. */
function dataset(): CliFolder {
  const home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  home.ssebench(['dataset', 'manifest', 'data/set']);
  return home;
}

async function found(home: CliFolder, source: string, { id = 'leak-1', build = false } = {}) {
  const catalog = await openCatalog(join(home.dir, source), loadSettings(home.dir, {}));
  return taskOfCatalog(catalog, id, { home: home.dir, build });
}

test('a task of a catalog is its manifest’s, with the folder beside it when that has these very files', async () => {
  using home = dataset();
  const { task, warnings } = await found(home, 'data/set');
  expect(warnings).toEqual([]);
  expect(task).toMatchObject({
    id: 'leak-1',
    dataset: 'set',
    datasetVersion: 'set-v1',
    dir: join(home.dir, 'data/set/leak-1'),
    config: { id: 'leak-1' },
    published: { image: 'case/set/leak-1', version: 'set-v1', digest: null, prebuilt: null },
  });
  home.write('data/set/leak-1/README.md', 'changed');
  const changed = await found(home, 'data/set');
  expect(changed.task).toMatchObject({ dir: null, filesDigest: task.filesDigest });
  expect(changed.warnings).toEqual([
    expect.stringMatching(/leak-1: is not what .*manifest\.json lists, and is not used$/),
  ]);
});

test('alone, a manifest is enough; home’s folder of the dataset is found for it', async () => {
  using home = dataset();
  home.write('elsewhere/m.json', readFileSync(join(home.dir, 'data/set/manifest.json'), 'utf8'));
  expect((await found(home, 'elsewhere/m.json')).task.dir).toBeNull();
  cpSync(join(home.dir, 'data/set'), join(home.dir, 'datasets/set'), { recursive: true });
  expect((await found(home, 'elsewhere/m.json')).task.dir).toBe(join(home.dir, 'datasets/set/leak-1'));
});

test('--build needs that folder, and then nothing is pulled', async () => {
  using home = dataset();
  expect((await found(home, 'data/set', { build: true })).task).not.toHaveProperty('published');
  home.write('data/set/leak-1/README.md', 'changed');
  await expect(found(home, 'data/set', { build: true })).rejects.toThrow(
    /--build: no folder of the task "leak-1" matches .*; name one with --local$/,
  );
});

test('a task that the catalog lacks is told with those that it has', async () => {
  using home = dataset();
  await expect(found(home, 'data/set', { id: 'leak-2' })).rejects.toThrow(
    /manifest\.json: unknown task "leak-2", did you mean "leak-1"\? \(available: leak-1\); another catalog: --catalog/,
  );
});

test('a lock pins the image, and names the others where they were published', async () => {
  using home = dataset();
  const { filesDigest } = (await found(home, 'data/set')).task;
  const prebuilt = { ssebench: '0.1.0', runtime: DIGEST, work: DIGEST, tool: DIGEST, agents: {} };
  const lock = {
    dataset: 'set',
    version: 'set-v1',
    images: { 'leak-1': { digest: DIGEST, files_sha256: filesDigest, revision: '0'.repeat(40) } },
    prebuilt: { 'leak-1': prebuilt },
  };
  home.write('data/set/images.lock.json', JSON.stringify(lock));
  expect((await found(home, 'data/set')).task.published).toMatchObject({ digest: DIGEST, prebuilt });
  const other = { ...lock, images: { 'leak-1': { ...lock.images['leak-1'], files_sha256: 'f'.repeat(64) } } };
  home.write('data/set/images.lock.json', JSON.stringify(other));
  const unpinned = await found(home, 'data/set');
  expect(unpinned.task.published).toMatchObject({ digest: null, prebuilt: null });
  expect(unpinned.warnings).toEqual([expect.stringMatching(/its files are not those of the image in the lock/)]);
});

import { randomBytes } from 'node:crypto';
import { readExtraCa } from '@ssebench/bench/images/extra-ca';
import type { VolumeContent } from '@ssebench/bench/images/filled-volume';
import { ensureRoot, rootImage } from '@ssebench/bench/images/root';
import { ensureRuntimeImage, type RuntimeIdentity, runtimeIdentity } from '@ssebench/bench/images/runtime';
import { ensureRuntimeVolume, hasRuntimeVolume } from '@ssebench/bench/images/runtime-volume';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { packEntries } from '@ssebench/engine/tar';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, imageBench } from './support/image-fixtures.ts';

let bench: Bench;
let runtime: RuntimeIdentity;
let content: VolumeContent;

beforeEach(async () => {
  bench = await imageBench();
  const real = await runtimeIdentity(bench.context);
  content = await ensureRuntimeImage(bench.context, real, async () => {
    const ca = readExtraCa(undefined);
    const root = rootImage(bench.context, ca);
    await ensureRoot(bench.context, root, ca);
    return root;
  });
  // A volume of its own: real runs use the other one meanwhile.
  const hash = `test${randomBytes(4).toString('hex')}`;
  runtime = { ...real, hash, volume: `ssebench-runtime-${hash}` };
});
afterEach(async () => {
  await bench.engine.removeVolume(runtime.volume);
  await bench[Symbol.asyncDispose]();
});

/** Runs a command with the volume mounted as a run mounts it. */
async function inVolume(argv: [string, ...string[]], write?: { name: string; content: string }): Promise<number> {
  const { engine } = bench;
  const id = await engine.createContainer({
    image: runtime.image,
    entrypoint: argv,
    cmd: [],
    labels: { 'ssebench.test': 'runtime-volume' },
    mounts: [{ type: 'volume', name: runtime.volume, target: CONTAINER.runtime, readOnly: write === undefined }],
    network: 'none',
    capabilities: [],
    noNewPrivileges: true,
  });
  try {
    if (write) await engine.putArchive(id, CONTAINER.runtime, packEntries([write]));
    await engine.start(id);
    return (await engine.ended(id)).exitCode;
  } finally {
    await engine.remove(id, { force: true });
  }
}

test('a volume that was filled from another build of the same runtime is complete, although its compiled code is another', async () => {
  const other = Object.entries(content).map(([path, digest]) => [path, path.endsWith('.code') ? 'another' : digest]);
  expect(Object.keys(content).some((path) => path.endsWith('.code'))).toBe(true);
  await ensureRuntimeVolume(bench.context, runtime, Object.fromEntries(other));
  expect(await hasRuntimeVolume(bench.context, runtime)).toBe(true);
});

test('a volume is filled once and then only looked at', async () => {
  expect(await hasRuntimeVolume(bench.context, runtime)).toBe(false);
  await ensureRuntimeVolume(bench.context, runtime, content);
  expect(await hasRuntimeVolume(bench.context, runtime)).toBe(true);
  expect(await inVolume([CONTAINER.init, '--version'])).toBe(0);
});

test('a volume that a crash left half full is filled anew', async () => {
  const filling = '0123456789abcdef';
  const labels = { [LABEL.key]: runtime.key, [LABEL.role]: 'runtime', 'ssebench.filling': filling };
  await bench.engine.createVolume(runtime.volume, labels);
  await inVolume([CONTAINER.init, '--version'], { name: 'runtime.cjs', content: 'cut sh' });
  await ensureRuntimeVolume(bench.context, runtime, content);
  expect(bench.lines.join('\n')).toContain(`volume ${runtime.volume} is not complete`);
  expect((await bench.engine.inspectVolume(runtime.volume))?.labels['ssebench.filling']).not.toBe(filling);
});

test('two commands fill it together', async () => {
  const other = await imageBench();
  await Promise.all([bench, other].map(({ context }) => ensureRuntimeVolume(context, runtime, content)));
  await other[Symbol.asyncDispose]();
  expect(await hasRuntimeVolume(bench.context, runtime)).toBe(true);
  expect(bench.lines.concat(other.lines).join('\n')).not.toContain('is not complete');
});

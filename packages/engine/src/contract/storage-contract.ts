import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scene } from './engine-contract.ts';
import { SEED } from './tiny-image.ts';

/** Volumes, mounts of the host, and what the engine can do with them. */
export function storageContract(scene: Scene): void {
  describe('mounts', () => {
    test('a fresh volume is filled from the image and can then be mounted elsewhere read-only', async () => {
      const name = scene.name('seeded');
      await scene.engine.createVolume(name, scene.labels);
      const filler = await scene.run('exit 0', {
        mounts: [{ type: 'volume', name, target: '/seed', readOnly: false }],
      });
      await scene.engine.ended(filler, { timeoutMs: 60_000 });
      await scene.engine.remove(filler, { volumes: true });
      const id = await scene.run('cat /other/deep/word; echo x > /other/x', {
        mounts: [{ type: 'volume', name, target: '/other', readOnly: true }],
      });
      const { stdout, stderr } = await scene.outcome(id);
      expect(stdout).toBe(SEED.content);
      expect(stderr).toMatch(/read-only/i);
      expect((await scene.engine.inspectContainer(id))?.mounts).toEqual([
        { type: 'volume', source: name, target: '/other', readOnly: true },
      ]);
    });

    test('a volume is found, listed and removed once nothing uses it', async () => {
      const name = scene.name('plain');
      const labels = { ...scene.labels, 'ssebench.test.volume': 'plain' };
      await scene.engine.createVolume(name, labels);
      await scene.engine.createVolume(name, labels);
      const id = await scene.create('', { mounts: [{ type: 'volume', name, target: '/v', readOnly: false }] });
      expect(await scene.engine.inspectVolume(name)).toMatchObject({ name, labels });
      expect(await scene.engine.listVolumes({ 'ssebench.test.volume': 'plain', ...scene.labels })).toMatchObject([
        { name },
      ]);
      await expect(scene.engine.removeVolume(name)).rejects.toMatchObject({ code: 'conflict' });
      await scene.engine.remove(id);
      await scene.engine.removeVolume(name);
      expect(await scene.engine.inspectVolume(name)).toBeUndefined();
      await expect(scene.engine.removeVolume(name)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('a scratch area in memory has its size and mode', async () => {
      const mounts = [{ type: 'tmpfs' as const, target: '/scratch', sizeBytes: 1024 * 1024, mode: 0o1777 }];
      const id = await scene.run('stat -c %a /scratch; head -c 3000000 /dev/zero > /scratch/x', { mounts });
      const { stdout, stderr } = await scene.outcome(id);
      expect(stdout).toBe('1777\n');
      expect(stderr).toMatch(/no space/i);
    });

    test('abilities are what was found by trying, once, and a reason stands beside each that is missing', async () => {
      const abilities = await scene.engine.abilities();
      expect(await scene.engine.abilities()).toBe(abilities);
      const { hostMounts, socketMounts, limits, buildkit, reasons } = abilities;
      const missing = Object.entries({ hostMounts, socketMounts, ...limits, buildkit }).filter(([, there]) => !there);
      expect(Object.keys(reasons).sort()).toEqual(missing.map(([name]) => name).sort());
    });

    test('probing leaves nothing behind', async () => {
      await scene.engine.abilities();
      const probes = { 'ssebench.role': 'probe' };
      expect(await scene.engine.listContainers(probes)).toEqual([]);
      expect(await scene.engine.listImages(probes)).toEqual([]);
    });

    test('a host directory is shared, and read-only where that is asked for', async ({ skip }) => {
      if (!(await scene.engine.abilities()).hostMounts) skip('this engine does not share the host’s file system');
      const source = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
      try {
        await writeFile(join(source, 'in'), 'of the host');
        const id = await scene.run('cat /rw/in > /rw/out; echo x > /ro/x', {
          user: `${process.getuid?.()}`,
          mounts: [
            { type: 'bind', source, target: '/rw', readOnly: false },
            { type: 'bind', source, target: '/ro', readOnly: true },
          ],
        });
        expect((await scene.outcome(id)).stderr).toMatch(/read-only/i);
        expect(await readFile(join(source, 'out'), 'utf8')).toBe('of the host');
      } finally {
        await rm(source, { recursive: true });
      }
    });
  });
}

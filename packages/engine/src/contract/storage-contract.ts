import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packEntries, unpackFile, unpackInto } from '../tar.ts';
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

    test('a volume that holds something gets nothing of an image', async () => {
      const name = scene.name('bare');
      await scene.engine.createVolume(name, scene.labels);
      const mount = { type: 'volume' as const, name, readOnly: false };
      const store = await scene.create('exit 0', { mounts: [{ ...mount, target: '/store/one' }] });
      await scene.engine.putArchive(store, '/store/one', packEntries([{ name: 'kept', content: '' }]));
      const id = await scene.run('ls -A /seed', { mounts: [{ ...mount, target: '/seed' }] });
      expect((await scene.outcome(id)).stdout).toBe('kept\n');
    });

    test('a volume is written and read through a container that never runs, while another one runs', async () => {
      const name = scene.name('through');
      await scene.engine.createVolume(name, scene.labels);
      const mount = { type: 'volume' as const, name, readOnly: false };
      const store = await scene.create('exit 0', { mounts: [{ ...mount, target: '/store/one' }] });
      const tar = packEntries([{ name: 'in', content: 'from the host', mode: 0o644, uid: 1000, gid: 1000 }]);
      await scene.engine.putArchive(store, '/store/one', tar);
      const script = 'stat -c "%a %u" /v/in; cat /v/in; echo back > /v/out; echo done; sleep 60';
      const id = await scene.run(script, { mounts: [{ ...mount, target: '/v' }] });
      let said = '';
      for await (const { data } of scene.engine.logs(id, { follow: true, timeoutMs: 60_000 })) {
        said += data.toString();
        if (said.endsWith('done\n')) break;
      }
      expect(said).toBe('644 1000\nfrom the hostdone\n');
      const read = async (from: string, path: string) =>
        (await unpackFile(await scene.engine.getArchive(from, path), 'out', { maxBytes: 100 }))?.toString();
      expect(await read(store, '/store/one/out')).toBe('back\n');
      expect(await read(id, '/v/out')).toBe('back\n');
      await scene.engine.remove(id, { force: true, volumes: true });
      expect(await read(store, '/store/one/out')).toBe('back\n');
      const directory = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
      try {
        await unpackInto(directory, await scene.engine.getArchive(store, '/store/one/.'), {
          maxBytes: 100,
          maxFiles: 9,
        });
        expect((await readdir(directory)).sort()).toEqual(['in', 'out']);
      } finally {
        await rm(directory, { recursive: true });
      }
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
      const { hostMounts, socketMounts, users, limits, buildkit, reasons } = abilities;
      const missing = Object.entries({ hostMounts, socketMounts, users, ...limits, buildkit }).filter(
        ([, there]) => !there,
      );
      expect(Object.keys(reasons).sort()).toEqual(missing.map(([name]) => name).sort());
    });

    test('probing leaves nothing behind', async () => {
      await scene.engine.abilities();
      const probes = { 'ssebench.role': 'probe' };
      expect(await scene.engine.listContainers(probes)).toEqual([]);
      expect(await scene.engine.listImages(probes)).toEqual([]);
    });

    test('a mounted host directory is refused by an engine that has no such ability', async ({ skip }) => {
      if ((await scene.engine.abilities()).hostMounts) skip('this engine shares the host’s file system');
      const mounts = [{ type: 'bind' as const, source: '/no-such-place', target: '/rw', readOnly: false }];
      await expect(scene.create('exit 0', { mounts })).rejects.toMatchObject({ code: 'refused' });
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

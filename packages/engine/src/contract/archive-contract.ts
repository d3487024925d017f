import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packDirectory, packEntries, unpackFile, unpackInto } from '../tar.ts';
import type { Scene } from './engine-contract.ts';

/** Files in and out of containers that run, ran or never did. */
export function archiveContract(scene: Scene): void {
  describe('files in and out', () => {
    test('a directory comes back as it went in, into a container that was never started', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
      try {
        const bytes = Buffer.from([0, 255, 10, 13]);
        await writeFile(join(directory, 'data.bin'), bytes);
        const id = await scene.create('exit 0');
        await scene.engine.putArchive(id, '/tmp', packDirectory(directory, { prefix: 'in' }));
        const back = join(directory, 'back');
        const limits = { maxBytes: 1000, maxFiles: 10 };
        const unpacked = await unpackInto(back, await scene.engine.getArchive(id, '/tmp/in'), limits);
        expect(unpacked).toEqual({ files: 1, bytes: 4, skipped: [] });
        expect(await readFile(join(back, 'in/data.bin'))).toEqual(bytes);
      } finally {
        await rm(directory, { recursive: true });
      }
    });

    test('owner and mode are those of the tar', async () => {
      const entries = [
        { name: 'secret', directory: true as const, mode: 0o700 },
        { name: 'secret/key', content: 'k', mode: 0o640, uid: 1000, gid: 1000 },
      ];
      const id = await scene.create('stat -c "%a %u:%g %n" /tmp/secret /tmp/secret/key');
      await scene.engine.putArchive(id, '/tmp', packEntries(entries));
      await scene.engine.start(id);
      expect((await scene.outcome(id)).stdout).toBe('700 0:0 /tmp/secret\n640 1000:1000 /tmp/secret/key\n');
    });

    test('a file is read from a container that has ended', async () => {
      const id = await scene.run('echo left > /tmp/left');
      await scene.engine.ended(id, { timeoutMs: 60_000 });
      const tar = await scene.engine.getArchive(id, '/tmp/left');
      expect((await unpackFile(tar, 'left', { maxBytes: 100 }))?.toString()).toBe('left\n');
    });

    test('a path that is not there is not_found', async () => {
      const id = await scene.create('exit 0');
      await expect(scene.engine.getArchive(id, '/no/such')).rejects.toMatchObject({ code: 'not_found' });
    });

    test('a container that is not there takes no files', async () => {
      const tar = packEntries([{ name: 'a', content: 'a' }]);
      await expect(scene.engine.putArchive(scene.name('absent'), '/tmp', tar)).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    test('a source that fails fails the call with its own error', async () => {
      const id = await scene.create('exit 0');
      const source = async function* () {
        yield Buffer.alloc(1024);
        throw new Error('the disk is gone');
      };
      await expect(scene.engine.putArchive(id, '/tmp', source())).rejects.toThrow('the disk is gone');
    });

    test('an archive that is read only in part frees the engine', async () => {
      const id = await scene.create('exit 0');
      const tar = await scene.engine.getArchive(id, '/bin');
      for await (const _ of tar) break;
      await scene.engine.remove(id);
    });
  });
}

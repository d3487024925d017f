import { describe, expect, test } from 'vitest';
import { packEntries } from '../tar.ts';
import type { Scene } from './engine-contract.ts';

const ABSENT = 'localhost/ssebench-test/no-such-image:1';

/** Images, apart from building them. */
export function imageContract(scene: Scene): void {
  describe('images', () => {
    test('an imported image keeps what it was given', async () => {
      const { engine } = scene;
      const ref = `localhost/${scene.name('imported')}:2`;
      const id = await engine.importImage({
        rootfs: packEntries([{ name: 'a', content: 'a' }]),
        ref,
        changes: ['ENV WORD="a=b c"', 'CMD ["/a", "-x"]', 'WORKDIR /w', 'USER 1000', 'VOLUME /v'],
        labels: { ...scene.labels, 'ssebench.test.value': 'a/b = c:1,2' },
      });
      const image = await engine.inspectImage(ref);
      expect(image).toMatchObject({
        id,
        tags: [expect.stringContaining(ref)],
        cmd: ['/a', '-x'],
        workdir: '/w',
        user: '1000',
        volumes: ['/v'],
        onBuild: [],
      });
      expect(image?.env).toMatchObject({ WORD: 'a=b c' });
      expect(image?.labels).toEqual({ ...scene.labels, ssebench: '1', 'ssebench.test.value': 'a/b = c:1,2' });
      expect(image?.architecture).toBe((await engine.info()).architecture);
      expect(Math.abs(Date.now() - (image?.created.getTime() ?? 0))).toBeLessThan(120_000);
    });

    test('a name is added, moved and taken away; the last takes the image with it', async () => {
      const { engine } = scene;
      const [first, second] = [`localhost/${scene.name('named')}:1`, `localhost/${scene.name('named')}:2`];
      const rootfs = packEntries([{ name: 'named', content: 'named' }]);
      const id = await engine.importImage({ rootfs, ref: first, labels: scene.labels });
      await engine.tag(id, second);
      await engine.removeImage(first);
      expect(await engine.inspectImage(first)).toBeUndefined();
      expect(await engine.inspectImage(second)).toMatchObject({ id });
      await engine.tag(scene.image, second);
      expect(await engine.inspectImage(second)).toMatchObject({ id: scene.image });
      await engine.removeImage(second);
      await engine.removeImage(id);
      expect(await engine.inspectImage(id)).toBeUndefined();
    });

    test('an image that a container uses is not removed', async () => {
      const id = await scene.create('exit 0');
      await expect(scene.engine.removeImage(scene.image)).rejects.toMatchObject({ code: 'conflict' });
      await scene.engine.remove(id);
    });

    test('a list holds our images with the labels', async () => {
      const ids = (await scene.engine.listImages(scene.labels)).map((image) => image.id);
      expect(ids).toContain(scene.image);
      expect(await scene.engine.listImages({ ...scene.labels, 'ssebench.test.absent': '' })).toEqual([]);
    });

    test('what is not there is undefined or not_found; a name that can’t be one is refused', async () => {
      expect(await scene.engine.inspectImage(ABSENT)).toBeUndefined();
      await expect(scene.engine.removeImage(ABSENT)).rejects.toMatchObject({ code: 'not_found' });
      await expect(scene.engine.tag(ABSENT, 'localhost/x:1')).rejects.toMatchObject({ code: 'not_found' });
      await expect(scene.engine.inspectImage('../containers/json?x=')).rejects.toMatchObject({ code: 'refused' });
    });

    test('the engine says what it is and has', async () => {
      await scene.engine.ping();
      expect((await scene.engine.version()).apiVersion).toMatch(/^1\.\d+$/);
      const info = await scene.engine.info();
      expect(info.cpus).toBeGreaterThan(0);
      expect(info.memoryBytes).toBeGreaterThan(100e6);
      expect(info.engineId).not.toBe('');
      expect((await scene.engine.diskUsage()).imageBytes).toBeGreaterThan(1e6);
    });
  });
}

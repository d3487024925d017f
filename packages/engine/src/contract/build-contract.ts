import { describe, expect, test } from 'vitest';
import type { BuildRequest } from '../image.ts';
import { packEntries } from '../tar.ts';
import type { Scene } from './engine-contract.ts';

/** Building images from a tar. */
export function buildContract(scene: Scene): void {
  const build = (dockerfile: string, more: Partial<BuildRequest> = {}) =>
    scene.engine.build({
      context: packEntries([
        { name: 'Dockerfile', content: dockerfile },
        { name: 'tool.sh', content: 'echo tool', mode: 0o755 },
      ]),
      tags: [`localhost/${scene.name('built')}:1`],
      labels: scene.labels,
      timeoutMs: 60_000,
      ...more,
    });

  describe('build', () => {
    test('makes an image with names, labels and arguments, and tells its steps and their output', async () => {
      const lines: string[] = [];
      const tags = [`localhost/${scene.name('built')}:a`, `localhost/${scene.name('built')}:b`];
      const dockerfile = `FROM ${scene.ref}\nARG WORD\nCOPY tool.sh /tool.sh\nRUN echo "said: $WORD"; cat /tool.sh\nENV X=1\n`;
      const id = await build(dockerfile, {
        tags,
        buildArgs: { WORD: 'hello there' },
        noCache: true,
        onOutput: (line) => lines.push(line),
      });
      for (const tag of tags) expect(await scene.engine.inspectImage(tag)).toMatchObject({ id, env: { X: '1' } });
      expect((await scene.engine.inspectImage(id))?.labels).toMatchObject({ ...scene.labels, ssebench: '1' });
      const text = lines.join('\n');
      expect(text).toMatch(/RUN echo "said: /);
      expect(text).toMatch(/^(#\d+ )?said: hello there$/m);
      expect(text).toMatch(/^(#\d+ )?echo tool$/m);
    });

    test('a step that fails is named in the error, with what it printed', async () => {
      const dockerfile = `FROM ${scene.ref}\nRUN echo fine\nRUN echo first; echo broken here >&2; exit 3\n`;
      const error: unknown = await build(dockerfile).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'build_failed', detail: expect.stringContaining('RUN echo first') });
      // The two streams come in no order.
      for (const words of [/^\s*first$/m, /^\s*broken here$/m, /\b3\b[^\n]*$/]) {
        expect(error).toMatchObject({ detail: expect.stringMatching(words) });
      }
    });

    test('a Dockerfile that is wrong, absent or of an unknown base says so', async () => {
      const failed = (detail: RegExp) => ({ code: 'build_failed', detail: expect.stringMatching(detail) });
      await expect(build('FROM scratch\nFRAM x\n')).rejects.toMatchObject(failed(/FRAM/i));
      await expect(build('FROM scratch\n', { dockerfile: 'other/Dockerfile' })).rejects.toMatchObject(
        failed(/Dockerfile/),
      );
      await expect(build('FROM 127.0.0.1:1/none:1\n')).rejects.toMatchObject(failed(/127\.0\.0\.1:1/));
    });

    test('a stage alone is built, from a Dockerfile of another name', async () => {
      const context = packEntries([
        { name: 'df', content: `FROM ${scene.ref} AS one\nENV STAGE=one\nFROM one\nENV STAGE=two\n` },
      ]);
      const id = await build('', { context, dockerfile: 'df', target: 'one' });
      expect((await scene.engine.inspectImage(id))?.env).toMatchObject({ STAGE: 'one' });
    });

    test("a container can do without a variable of its image's", async () => {
      const image = await build(`FROM ${scene.ref}\nENV HOSTILE=1 KEPT=1\n`);
      const id = await scene.run('env', { image, env: { HOSTILE: null, ADDED: '1' } });
      const { stdout } = await scene.outcome(id);
      expect(stdout).toMatch(/^KEPT=1$/m);
      expect(stdout).toMatch(/^ADDED=1$/m);
      expect(stdout).not.toMatch(/^HOSTILE=./m);
    });

    test('files of another image are mounted for a step', async () => {
      const dockerfile = `FROM ${scene.ref}\nRUN --mount=type=bind,from=${scene.ref},source=/seed,target=/mnt cat /mnt/deep/word\n`;
      const lines: string[] = [];
      await build(dockerfile, { noCache: true, onOutput: (line) => lines.push(line) });
      expect(lines.join('\n')).toMatch(/from the image/);
    });

    test('ends at its limit and at the signal, and the step with it', async () => {
      const dockerfile = `FROM ${scene.ref}\nRUN sleep 30\n`;
      const begin = Date.now();
      await expect(build(dockerfile, { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'timeout' });
      const signal = AbortSignal.timeout(1000);
      await expect(build(dockerfile, { signal })).rejects.toMatchObject({ code: 'aborted' });
      expect(Date.now() - begin).toBeLessThan(15_000);
    });

    test('a context that fails fails the build with its own error', async () => {
      const context = packEntries(
        (async function* () {
          yield { name: 'Dockerfile', content: `FROM ${scene.ref}\nCOPY . /x\n` };
          throw new Error('the disk is gone');
        })(),
      );
      await expect(build('', { context })).rejects.toThrow('the disk is gone');
    });
  });
}

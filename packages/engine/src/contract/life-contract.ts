import { describe, expect, test } from 'vitest';
import { isEngineError } from '../errors.ts';
import type { EngineEvent } from '../port.ts';
import type { Scene } from './engine-contract.ts';

const ABSENT = '0123456789abcdef'.repeat(4);

/** From create to remove: state, end, output, exec, signals, events. */
export function lifeContract(scene: Scene): void {
  describe('the life of a container', () => {
    test('ended() asked for before the start tells the exit code of the first process', async () => {
      const id = await scene.create('exit 7');
      const end = scene.engine.ended(id, { timeoutMs: 60_000 });
      await scene.engine.start(id);
      const { exitCode, oomKilled, startedAt, finishedAt, error } = await end;
      expect({ exitCode, oomKilled, error }).toEqual({ exitCode: 7, oomKilled: false, error: '' });
      expect(finishedAt.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
      expect(Math.abs(Date.now() - startedAt.getTime())).toBeLessThan(120_000);
    });

    test('ended() asked for after the end tells the same', async () => {
      const id = await scene.run('exit 3');
      await scene.engine.ended(id, { timeoutMs: 60_000 });
      expect(await scene.engine.ended(id, { timeoutMs: 60_000 })).toMatchObject({ exitCode: 3 });
    });

    test('ended() ends at its limit, at the signal, and says so', async () => {
      const id = await scene.run('sleep 60');
      await expect(scene.engine.ended(id, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' });
      await expect(scene.engine.ended(id, { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({
        code: 'aborted',
      });
    });

    test('output comes apart by stream, whole, and a tail of it', async () => {
      const both = await scene.run('echo out; echo err >&2; echo end');
      expect(await scene.outcome(both)).toEqual({ exitCode: 0, stdout: 'out\nend\n', stderr: 'err\n' });
      const id = await scene.run('for i in 1 2 3 4; do echo $i; done');
      await scene.engine.ended(id, { timeoutMs: 60_000 });
      const tail: string[] = [];
      for await (const { data } of scene.engine.logs(id, { tail: 2 })) tail.push(data.toString());
      expect(tail.join('')).toBe('3\n4\n');
    });

    test('followed output arrives while the program runs and ends with it', async () => {
      const id = await scene.run('echo first; cat /tmp/go 2>/dev/null || sleep 1; echo second');
      const states: (string | undefined)[] = [];
      let text = '';
      for await (const { data } of scene.engine.logs(id, { follow: true })) {
        text += data.toString();
        states.push((await scene.engine.inspectContainer(id))?.state);
      }
      expect(text).toBe('first\nsecond\n');
      expect(states[0]).toBe('running');
    });

    test('bytes that are no text come through unchanged', async () => {
      const id = await scene.run("printf '\\000\\377\\r\\n\\200x'");
      const chunks: Buffer[] = [];
      await scene.engine.ended(id, { timeoutMs: 60_000 });
      for await (const { data } of scene.engine.logs(id)) chunks.push(data);
      expect(Buffer.concat(chunks)).toEqual(Buffer.from([0, 255, 13, 10, 128, 120]));
    });

    test('inspect tells what was asked for and where the container stands', async () => {
      const id = await scene.create('exit 1', { name: scene.name('inspected') });
      expect(await scene.engine.inspectContainer(id)).toMatchObject({
        id,
        name: scene.name('inspected'),
        imageId: scene.image,
        labels: scene.labels,
        state: 'created',
        exitCode: undefined,
        startedAt: undefined,
        sizeRwBytes: undefined,
      });
      await scene.engine.start(id);
      await scene.engine.ended(id, { timeoutMs: 60_000 });
      const after = await scene.engine.inspectContainer(id, { size: true });
      expect(after).toMatchObject({ state: 'exited', exitCode: 1 });
      expect(after?.sizeRwBytes).toBeGreaterThanOrEqual(0);
    });

    test('a list holds exactly our containers with all the labels', async () => {
      const labels = { ...scene.labels, 'ssebench.test.list': 'yes' };
      const id = await scene.create('exit 0', { labels });
      const listed = async (wanted: Record<string, string>) =>
        (await scene.engine.listContainers({ ...scene.labels, ...wanted })).map((container) => container.id);
      expect(await listed({ 'ssebench.test.list': 'yes' })).toEqual([id]);
      expect(await listed({ 'ssebench.test.list': '' })).toEqual([id]);
      expect(await listed({ 'ssebench.test.list': 'no' })).toEqual([]);
    });

    test('stop lets a program end by itself; one that ignores it is killed after the grace', async () => {
      const polite = await scene.run("trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done");
      const deaf = await scene.run("trap '' TERM; echo up; while :; do sleep 0.05; done");
      for (const id of [polite, deaf]) await firstOutput(scene, id);
      await scene.engine.stop(polite, 20);
      expect((await scene.engine.ended(polite, { timeoutMs: 5000 })).exitCode).toBe(5);
      await scene.engine.stop(deaf, 1);
      expect((await scene.engine.ended(deaf, { timeoutMs: 5000 })).exitCode).toBe(137);
      await scene.engine.stop(deaf, 1);
    });

    test('kill sends the signal that is named', async () => {
      const id = await scene.run("trap 'exit 9' USR1; echo up; while :; do sleep 0.05; done");
      await firstOutput(scene, id);
      await scene.engine.kill(id, 'SIGUSR1');
      expect((await scene.engine.ended(id, { timeoutMs: 20_000 })).exitCode).toBe(9);
      await expect(scene.engine.kill(id)).rejects.toMatchObject({ code: 'conflict' });
    });

    test('a running container is removed by force alone', async () => {
      const id = await scene.run('sleep 60');
      await expect(scene.engine.remove(id)).rejects.toMatchObject({ code: 'conflict' });
      await scene.engine.remove(id, { force: true });
      expect(await scene.engine.inspectContainer(id)).toBeUndefined();
    });

    test('ended() of a container that is removed while we wait is not_found', async () => {
      const id = await scene.run('sleep 60');
      const end = scene.engine.ended(id, { timeoutMs: 60_000 });
      const removed = scene.engine.remove(id, { force: true });
      await expect(end.catch((error: unknown) => (isEngineError(error) ? error.code : error))).resolves.toSatisfy(
        // An engine may still tell how it ended.
        (value) => value === 'not_found' || (value as { exitCode?: number }).exitCode === 137,
      );
      await removed;
    });

    test('a program that is not there is refused in the engine’s words', async () => {
      const id = await scene.create('', { entrypoint: ['/bin/no-such-program'] });
      await expect(scene.engine.start(id)).rejects.toMatchObject({
        detail: expect.stringContaining('no-such-program'),
      });
    });

    test('events tell what happens to our containers from the moment they are asked for', async () => {
      const stop = new AbortController();
      const filter = { types: ['container' as const], labels: scene.labels, actions: ['start', 'die'] };
      const events = await scene.engine.events(filter, stop.signal);
      const id = await scene.run('exit 4');
      const seen: EngineEvent[] = [];
      for await (const event of events) {
        if (event.id !== id) continue;
        seen.push(event);
        if (event.action === 'die') stop.abort();
      }
      expect(seen.map(({ action }) => action)).toEqual(['start', 'die']);
      expect(seen[1]?.attributes).toMatchObject({ exitCode: '4', ...scene.labels });
    });

    test('what is not there is not_found', async () => {
      const { engine } = scene;
      expect(await engine.inspectContainer(ABSENT)).toBeUndefined();
      const calls: (() => Promise<unknown>)[] = [
        () => engine.start(ABSENT),
        () => engine.stop(ABSENT, 1),
        () => engine.kill(ABSENT),
        () => engine.remove(ABSENT),
        () => engine.ended(ABSENT, { timeoutMs: 5000 }),
        () => engine.logs(ABSENT)[Symbol.asyncIterator]().next(),
        () => engine.exec(ABSENT, { argv: ['true'] }),
        () => engine.getArchive(ABSENT, '/etc'),
      ];
      for (const call of calls) await expect(call(), call.toString()).rejects.toMatchObject({ code: 'not_found' });
      await expect(scene.create('', { image: `sha256:${ABSENT}` })).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  describe('exec', () => {
    test('carries the streams of a program both ways until its input ends, or it is cut off', async () => {
      const id = await scene.run('sleep 60');
      const { stdin, stdout, close } = await scene.engine.execStreams(id, { argv: ['cat'] });
      const parts = stdout[Symbol.asyncIterator]();
      for (const part of ['one', 'two']) {
        stdin.write(part);
        expect(String((await parts.next()).value)).toBe(part);
      }
      stdin.end();
      expect((await parts.next()).done).toBe(true);
      close();
      const ending = new AbortController();
      const cut = await scene.engine.execStreams(id, { argv: ['sleep', '60'], signal: ending.signal });
      ending.abort();
      const rest = cut.stdout[Symbol.asyncIterator]().next();
      await expect(rest.then(({ done }) => done).catch(() => true)).resolves.toBe(true);
    });

    test('tells the exit code and both outputs', async () => {
      const id = await scene.run('sleep 60');
      const result = await scene.engine.exec(id, { argv: ['sh', '-c', 'echo out; echo err >&2; exit 6'] });
      expect(result).toMatchObject({ exitCode: 6, stdoutBytes: 4, stderrBytes: 4 });
      expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['out\n', 'err\n']);
    });

    test('takes user, directory, variables and standard input', async () => {
      const id = await scene.run('sleep 60', { env: { FROM: 'container' } });
      const request = { user: 'model', workdir: '/tmp', env: { WORD: 'a b=c' }, stdin: Buffer.from('input') };
      const argv = ['sh', '-c', 'id -u; pwd; echo "$WORD $FROM"; cat'] as const;
      const { stdout } = await scene.engine.exec(id, { argv, ...request });
      expect(stdout.toString()).toBe('1000\n/tmp\na b=c container\ninput');
    });

    test('without standard input the program reads its end at once', async () => {
      const id = await scene.run('sleep 60');
      const result = await scene.engine.exec(id, { argv: ['cat'], timeoutMs: 10_000 });
      expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 0 });
    });

    test('a program that ends without reading its input ends the call', async () => {
      const id = await scene.run('sleep 60');
      const stdin = Buffer.alloc(4 * 1024 * 1024, 'x');
      expect(await scene.engine.exec(id, { argv: ['sh', '-c', 'exit 2'], stdin, timeoutMs: 20_000 })).toMatchObject({
        exitCode: 2,
      });
    });

    test('keeps so much of the output and counts the rest', async () => {
      const id = await scene.run('sleep 60');
      const argv = ['head', '-c', '3000000', '/dev/zero'] as const;
      const { stdout, stdoutBytes } = await scene.engine.exec(id, { argv, maxOutputBytes: 1000 });
      expect([stdout.length, stdoutBytes]).toEqual([1000, 3_000_000]);
    });

    test('ends at its limit and at the signal', async () => {
      const id = await scene.run('sleep 60');
      const argv = ['sleep', '30'] as const;
      const begin = Date.now();
      await expect(scene.engine.exec(id, { argv, timeoutMs: 500 })).rejects.toMatchObject({ code: 'timeout' });
      const signal = AbortSignal.timeout(500);
      await expect(scene.engine.exec(id, { argv, signal })).rejects.toMatchObject({ code: 'aborted' });
      expect(Date.now() - begin).toBeLessThan(10_000);
    });

    test('a program that is not there is 126 or 127, a stopped container a conflict', async () => {
      const id = await scene.run('sleep 60');
      expect((await scene.engine.exec(id, { argv: ['no-such-program'] })).exitCode).toSatisfy(
        (code) => code === 126 || code === 127,
      );
      await scene.engine.kill(id);
      await scene.engine.ended(id, { timeoutMs: 20_000 });
      await expect(scene.engine.exec(id, { argv: ['sh'] })).rejects.toMatchObject({ code: 'conflict' });
    });
  });
}

/** Until the container has said something: its traps are set by then. */
async function firstOutput(scene: Scene, id: string): Promise<void> {
  for await (const _ of scene.engine.logs(id, { follow: true, timeoutMs: 20_000 })) return;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectEngine } from './connect.ts';
import { Transport } from './transport.ts';

const GET = { operation: 'try', method: 'GET', path: '/x' } as const;
let directory = '';
let server: Server | undefined;
let transport: Transport;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
});
afterEach(async () => {
  transport?.close();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(directory, { recursive: true });
});

/** An engine that answers like this. */
async function engine(listener: RequestListener): Promise<string> {
  const socketPath = join(directory, 's');
  const { promise, resolve } = Promise.withResolvers<void>();
  server = createServer(listener).listen(socketPath, resolve);
  await promise;
  transport = new Transport({ display: `unix://${socketPath}`, socketPath }, '1.41');
  return `unix://${socketPath}`;
}

describe('an engine that does not answer', () => {
  test('ends the call at its limit', async () => {
    await engine(() => undefined);
    const call = transport.json(GET, { timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ code: 'timeout', message: 'try: not done within 0.1 s' });
  });

  test('ends the call when it stops in the middle of its answer', async () => {
    await engine((_, response) => {
      response.write('{"a":');
    });
    await expect(transport.json(GET, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
    const stream = await transport.stream(GET, { idleMs: 100 }, undefined);
    await expect(stream.next()).resolves.toMatchObject({ done: false });
    await expect(stream.next()).rejects.toMatchObject({ code: 'timeout' });
  });

  test('does not count the time that the reader takes', async () => {
    await engine((_, response) => {
      response.write('one');
      setTimeout(() => response.end('two'), 50);
    });
    const stream = await transport.stream(GET, { idleMs: 200 }, undefined);
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await expect(stream.next()).resolves.toMatchObject({ value: Buffer.from('two') });
  });

  test('ends the call at once when the caller wants it', async () => {
    await engine(() => undefined);
    const before = AbortSignal.abort();
    await expect(transport.json(GET, { signal: before })).rejects.toMatchObject({ code: 'aborted' });
    const during = transport.json(GET, { signal: AbortSignal.timeout(50) });
    await expect(during).rejects.toMatchObject({ code: 'aborted', message: 'try: cancelled' });
    await expect(transport.hijack(GET, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'aborted' });
  });

  test('takes no more of what is sent, and the call ends', async () => {
    await engine(() => undefined);
    const endless = async function* () {
      for (;;) yield Buffer.alloc(65536);
    };
    const put = { ...GET, method: 'PUT', upload: endless() } as const;
    await expect(transport.json(put, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('an engine that is not there', () => {
  test('is named with its address and what to do', async () => {
    const address = `unix://${directory}/absent.sock`;
    await expect(connectEngine({ address })).rejects.toThrow(
      `connect to the container engine: no container engine answers: ${address}: there is no such socket; start Docker or Podman, or set DOCKER_HOST`,
    );
  });

  test('or breaks off is unreachable', async () => {
    await engine((request) => request.socket.destroy());
    await expect(transport.json(GET)).rejects.toMatchObject({ code: 'unreachable' });
    server?.removeAllListeners('request');
    server?.on('request', (request, response) => {
      response.write('{');
      setTimeout(() => request.socket.destroy(), 20);
    });
    await expect(transport.json(GET)).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('after close() calls are aborted', async () => {
    await engine((_, response) => response.end('{}'));
    transport.close();
    await expect(transport.json(GET)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('what the engine answers', () => {
  test.for([
    [404, 'not_found'],
    [409, 'conflict'],
    [500, 'refused'],
    [400, 'refused'],
  ] as const)('%i is %s, with its words', async ([status, code]) => {
    await engine((_, response) => response.writeHead(status).end(JSON.stringify({ message: 'no - such (thing)' })));
    await expect(transport.json(GET)).rejects.toMatchObject({ code, detail: 'no - such (thing)', operation: 'try' });
  });

  test('the request is as asked for: version, repeated and absent parameters, body', async () => {
    await engine(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(JSON.stringify({ url: request.url, body: Buffer.concat(chunks).toString() }));
    });
    const call = { ...GET, method: 'POST', query: { t: ['a', 'b'], no: undefined, x: 'ä&' }, body: { y: 1 } } as const;
    expect(await transport.json(call)).toEqual({ url: '/v1.41/x?t=a&t=b&x=%C3%A4%26', body: '{"y":1}' });
  });

  test('connections are kept', async () => {
    const ports = new Set<unknown>();
    await engine((request, response) => {
      ports.add(request.socket);
      response.end('{}');
    });
    for (let i = 0; i < 3; i++) await transport.json(GET);
    expect(ports.size).toBe(1);
  });
});

describe('the version', () => {
  const says = (answer: object) => engine((_, response) => response.end(JSON.stringify(answer)));

  test('is the newest that both sides know', async () => {
    const address = await says({ Version: '30.0', ApiVersion: '1.99', MinAPIVersion: '1.44' });
    const connected = await connectEngine({ address });
    expect(await connected.version()).toEqual({ product: 'docker', version: '30.0', apiVersion: '1.47' });
    connected.close();
  });

  test('of Podman is known by its component', async () => {
    const Components = [{ Name: 'Podman Engine', Version: '5.4.2' }];
    const connected = await connectEngine({
      address: await says({ Version: '5.4.2', ApiVersion: '1.41', Components }),
    });
    expect(await connected.version()).toMatchObject({ product: 'podman', version: '5.4.2', apiVersion: '1.41' });
    connected.close();
  });

  test.for([
    [{ Version: '18.9', ApiVersion: '1.39' }, 'speaks API 1.39; needed: 1.41 (Docker 20.10) or later'],
    [
      { Version: '40', ApiVersion: '1.99', MinAPIVersion: '1.60' },
      'and 1.60 at least; the newest that we know is 1.47',
    ],
  ] as const)('that does not fit is refused: %o', async ([answer, words]) => {
    await expect(connectEngine({ address: await says(answer) })).rejects.toThrow(words);
  });
});

test('something else that listens there is told by what it answers', async () => {
  await engine((_, response) => response.end('<html>hello'));
  await expect(transport.json(GET)).rejects.toMatchObject({ code: 'refused', detail: 'not JSON: <html>hello' });
});

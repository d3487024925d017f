import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopbackRelay } from './loopback-relay.ts';

let directory: string;
let socketPath: string;
let relay: LoopbackRelay;
let gateway: Server | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'relay-'));
  socketPath = join(directory, 'gateway.sock');
  relay = await LoopbackRelay.open({ port: 0, socketPath });
});
afterEach(async () => {
  await relay.close();
  gateway?.close();
  gateway?.closeAllConnections();
  gateway = undefined;
  rmSync(directory, { recursive: true });
});

async function startGateway(answer: Parameters<typeof createServer>[1]): Promise<void> {
  gateway = createServer(answer as never);
  gateway.listen(socketPath);
  await once(gateway, 'listening');
}

const send = (body?: Buffer) => {
  const call = request({ port: relay.port, method: 'POST', path: '/', agent: false });
  call.end(body);
  return call;
};

test('what is sent comes out unchanged, both ways', async () => {
  await startGateway(async (incoming, answer) => answer.end(await buffer(incoming)));
  const body = Buffer.alloc(8 * 1024 * 1024, 'any bytes \u0000\r\n');
  const [answer] = (await once(send(body), 'response')) as [IncomingMessage];
  expect((await buffer(answer)).equals(body)).toBe(true);
});

test('a gateway that is not there yet is waited for', async () => {
  const answered = once(send(), 'response');
  await startGateway((_, answer) => answer.end('here'));
  const [answer] = (await answered) as [IncomingMessage];
  expect(await text(answer)).toBe('here');
});

test('a client that goes away takes its connection to the gateway with it', async () => {
  const gone = Promise.withResolvers<void>();
  await startGateway((incoming) => incoming.on('close', () => gone.resolve()));
  const call = send();
  call.on('error', () => undefined);
  await once(gateway as Server, 'request');
  call.destroy();
  await gone.promise;
});

test('closed, it cuts what is open and takes nothing more', async () => {
  await startGateway((_, answer) => answer.write('a beginning'));
  const [answer] = (await once(send(), 'response')) as [IncomingMessage];
  const { port } = relay;
  const cut = expect(text(answer)).rejects.toThrow('aborted');
  await relay.close();
  await cut;
  const late = connect(port, '127.0.0.1');
  await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
});

test('a server that is started when somebody comes is there for the first one', async () => {
  const prepare = async () => {
    if (!gateway) await startGateway((_, answer) => answer.end('started'));
  };
  const lazy = await LoopbackRelay.open({ port: 0, socketPath, prepare });
  expect(gateway?.listening ?? false).toBe(false);
  expect(await (await fetch(`http://127.0.0.1:${lazy.port}/`)).text()).toBe('started');
  await lazy.close();
});

import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json } from './answer.ts';
import { httpServer } from './server.ts';

const MIB = 1024 * 1024;
let server: Server;
let gone: Promise<void>;
let closed: boolean;

beforeEach(async () => {
  const told = Promise.withResolvers<void>();
  gone = told.promise;
  closed = false;
  server = httpServer({
    routes: [
      { method: 'GET', path: '/named/{name}', handle: ({ params }) => json(params) },
      { method: 'POST', path: '/echo', handle: async (call) => json(await call.body()) },
      {
        method: 'GET',
        path: '/wait',
        handle: ({ signal }) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () => {
              told.resolve();
              resolve(json({}));
            }),
          ),
      },
      { method: 'GET', path: '/endless', handle: () => ({ status: 200, headers: {}, body: endless() }) },
      { method: 'GET', path: '/broken', handle: () => ({ status: 200, headers: {}, body: broken() }) },
    ],
    notFound: (method, path) => json({ method, path }, 404),
    failed: (error) => json({ error: String(error) }, 400),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function* endless() {
  try {
    for (;;) yield Buffer.alloc(MIB);
  } finally {
    closed = true;
  }
}

async function* broken() {
  yield Buffer.from('the beginning');
  await new Promise(setImmediate);
  throw new Error('no more');
}

const port = () => (server.address() as AddressInfo).port;

async function call(method: string, path: string, body?: string) {
  const sent = request({ port: port(), method, path, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

test('a name in a path is decoded; one that is not encoded as it should be stands for itself', async () => {
  expect(await call('GET', '/named/a%20b?x=1')).toMatchObject({ status: 200, text: '{"name":"a b"}' });
  expect(await call('GET', '/named/a%zz')).toMatchObject({ text: '{"name":"a%zz"}' });
  expect(await call('GET', '/named/a/b')).toMatchObject({ status: 404, text: '{"method":"GET","path":"/named/a/b"}' });
  expect(await call('POST', '/named/a')).toMatchObject({ status: 404 });
});

test('HEAD is answered as GET, without the body', async () => {
  const answer = await call('HEAD', '/named/a');
  expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-length': '12' } });
});

test('a body that is too large, or no JSON, is refused, and the server goes on', async () => {
  expect(await call('POST', '/echo', `"${'x'.repeat(2 * MIB)}"`).catch((error: Error) => error)).toMatchObject({
    status: 400,
    text: expect.stringContaining('larger than 1048576 bytes'),
  });
  expect(await call('POST', '/echo', '{')).toMatchObject({ status: 400, text: expect.stringContaining('not JSON') });
  expect(await call('POST', '/echo', '{"a":"ü"}')).toMatchObject({ status: 200, text: '{"a":"ü"}' });
});

test('a handler hears that its caller has gone away', async () => {
  const socket = connect(port(), '127.0.0.1');
  socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(server, 'request');
  socket.destroy();
  await gone;
});

test('a caller that goes away or reads nothing takes no memory, and the source is closed', async () => {
  const socket = connect(port(), '127.0.0.1');
  socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  socket.destroy();
  await expect.poll(() => closed).toBe(true);
});

test('an answer that breaks in its middle is seen not to be whole', async () => {
  await expect(call('GET', '/broken')).rejects.toThrow('aborted');
});

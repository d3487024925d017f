import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTogether } from './write-together.ts';

const server = createServer();
let near: Socket;
let received: Buffer[];
let far: Socket;

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  near = writeTogether(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  [far] = await accepted;
  received = [];
  far.on('data', (chunk: Buffer) => received.push(chunk));
});

afterEach(async () => {
  near.destroy();
  far.destroy();
  server.close();
  await once(server, 'close');
});

async function arrived(pieces: readonly (string | Buffer | [string, BufferEncoding])[]): Promise<Buffer> {
  near.cork();
  for (const piece of pieces) {
    if (Array.isArray(piece)) near.write(piece[0], piece[1]);
    else near.write(piece);
  }
  near.uncork();
  near.end();
  await once(far, 'end');
  return Buffer.concat(received);
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

test('pieces of any kind and size arrive as they were written, in their order', async () => {
  const pieces = [
    ['head \u00ff\r\n', 'latin1'] as [string, BufferEncoding],
    EVERY_BYTE,
    'text \u20ac',
    Buffer.alloc(20_000, 0xfe),
    EVERY_BYTE,
  ];
  const whole = [
    Buffer.from('head \u00ff\r\n', 'latin1'),
    ...pieces.slice(1).map((piece) => Buffer.from(piece as string)),
  ];
  expect(await arrived(pieces)).toEqual(Buffer.concat(whole));
});

test('small pieces arrive as they were written, also before there is a connection', async () => {
  const early = writeTogether(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  const accepted = once(server, 'connection');
  early.cork();
  early.write('head \u00ff', 'latin1');
  early.write(EVERY_BYTE);
  early.uncork();
  const [socket] = (await accepted) as [Socket];
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  early.end();
  await once(socket, 'end');
  socket.destroy();
  expect(Buffer.concat(chunks)).toEqual(Buffer.concat([Buffer.from('head \u00ff', 'latin1'), EVERY_BYTE]));
  expect(early.bytesWritten).toBe(6 + 256);
});

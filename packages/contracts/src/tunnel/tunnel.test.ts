import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Tunnel } from './tunnel.ts';

/** Two ends; what is sent arrives later, in pieces that have nothing to do with frames. */
function tunnel(onOpen: (connection: Duplex) => void, piece = 1000) {
  let sent = 0;
  const deliver = (to: () => Tunnel) => (bytes: Buffer) => {
    sent += bytes.length;
    setImmediate(() => {
      for (let at = 0; at < bytes.length; at += piece) to().receive(bytes.subarray(at, at + piece));
    });
  };
  const near: Tunnel = new Tunnel({ send: deliver(() => far) });
  const far: Tunnel = new Tunnel({ send: deliver(() => near), onOpen });
  return { near, far, sent: () => sent };
}

const echo = (connection: Duplex) => void pipeline(connection, connection).catch(() => undefined);

test('what goes in comes out on each of many connections, whole and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 300_000, size: 'max' }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 700, max: 70_000 }),
      async (bodies, piece) => {
        const { near } = tunnel(echo, piece);
        const answers = bodies.map(async (body) => {
          const connection = near.open();
          connection.end(Buffer.from(body));
          return buffer(connection);
        });
        expect((await Promise.all(answers)).every((answer, at) => answer.equals(bodies[at] ?? new Uint8Array()))).toBe(
          true,
        );
      },
    ),
    { numRuns: 10 },
  );
});

test('a connection that is not read holds no other one up, and takes little memory', async () => {
  const opened: Duplex[] = [];
  const { near, sent } = tunnel((connection) => void opened.push(connection));
  const stuck = near.open();
  stuck.write(Buffer.alloc(10 * 1024 * 1024));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent()).toBeLessThan(300 * 1024);
  const other = near.open();
  other.end('here');
  await expect.poll(() => opened.length).toBe(2);
  expect(String(await buffer(opened[1] as Duplex))).toBe('here');
  opened[0]?.on('error', () => undefined);
  stuck.destroy();
});

test('one that is given up is given up on both sides', async () => {
  const opened = Promise.withResolvers<Duplex>();
  const { near } = tunnel(opened.resolve);
  const connection = near.open();
  connection.write('x');
  const other = await opened.promise;
  const gone = expect(once(other, 'close')).rejects.toThrow('the other side is gone');
  connection.destroy();
  await gone;
});

test('with the transport every connection is gone', async () => {
  const { near } = tunnel(echo);
  const connection = near.open();
  const gone = expect(once(connection, 'close')).rejects.toThrow('the other side is gone');
  near.close();
  await gone;
});

test('bytes that are no tunnel are refused', () => {
  const { near } = tunnel(echo);
  expect(() => near.receive(Buffer.from('HTTP/1.1 200 OK\r\n'))).toThrow(RangeError);
});

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Script, ScriptedDaemon } from '../testing/scripted-daemon.ts';
import { daemonAddress } from './address.ts';
import { DaemonClient } from './daemon-client.ts';

let directory: string;
let daemon: ScriptedDaemon | undefined;
let client: DaemonClient;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-'));
  client = new DaemonClient({ socketPath: join(directory, 'admin.sock') });
});

afterEach(async () => {
  client.close();
  await daemon?.close();
  daemon = undefined;
  await rm(directory, { recursive: true });
});

async function serve(script: Script): Promise<void> {
  daemon = await new ScriptedDaemon(join(directory, 'admin.sock'), script).listen();
}

test('an answer of the daemon comes back as the contracts describe it', async () => {
  await serve({ 'POST /tool/bencher?action=build': { body: { code: 0, stdout: 'built', stderr: '' } } });
  const result = await client.check('build', { grading: true }, { timeoutMs: 5_000 });
  expect(result).toMatchObject({ code: 0, stdout: 'built', outcome: 'exited', build: null });
  expect(daemon?.calls).toEqual([{ route: 'POST /tool/bencher?action=build', body: { grading: true } }]);
});

test('an error answer is known by its code', async () => {
  await serve({ 'GET /diff': { code: 'capture_failed', error: 'a tree that can not be read' } });
  await expect(client.diff({ timeoutMs: 5_000 })).rejects.toMatchObject({
    code: 'capture_failed',
    message: 'a tree that can not be read',
    status: 500,
  });
});

test.for([
  ['not JSON', { raw: '<html>', status: 200 }],
  ['of another shape', { body: { version: 7 } }],
  ['an error without a code', { raw: '{"error":"x"}', status: 500 }],
] as const)('an answer that is %s is an internal error', async ([, answer]) => {
  await serve({ 'GET /version': answer });
  await expect(client.version()).rejects.toMatchObject({ code: 'internal' });
});

test('a daemon that is not there is unreachable', async () => {
  await expect(client.version()).rejects.toMatchObject({ code: 'unreachable', status: null });
});

test('a connection that breaks before the answer is unreachable', async () => {
  await serve({ 'GET /version': 'break' });
  await expect(client.version()).rejects.toMatchObject({ code: 'unreachable' });
});

test('a call ends at its limit when no answer comes', async () => {
  await serve({ 'GET /capabilities': 'silence' });
  await expect(client.capabilities({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
});

test('a call that is given up rejects with the reason', async () => {
  await serve({ 'GET /capabilities': 'silence' });
  const reason = new Error('enough');
  await expect(client.capabilities({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('a kept connection that the daemon had closed is replaced by a new one', async () => {
  await serve({ 'GET /version': [{ body: { version: '1.0.0' } }, 'break', { body: { version: '1.0.1' } }] });
  expect(await client.version()).toEqual({ version: '1.0.0' });
  expect(await client.version()).toEqual({ version: '1.0.1' });
});

test('a daemon on a TCP port is called as one on a socket is', async () => {
  const server = createServer((request, response) => response.end(JSON.stringify({ version: request.url })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const overTcp = new DaemonClient(daemonAddress({ SSE_AGENT_DOCKER: `127.0.0.1:${port}` }));
  expect(await overTcp.version()).toEqual({ version: '/version' });
  overTcp.close();
  server.close();
});

test.for([
  [{ SSE_DAEMON_SOCKET: '/a.sock', SSE_AGENT_DOCKER: 'h:1' }, { socketPath: '/a.sock' }],
  [{ SSE_AGENT_DOCKER: '[::1]:4263' }, { host: '::1', port: 4263 }],
  [{}, { socketPath: '/tmp/sse.sock' }],
] as const)('an environment of %o names the address %o', ([env, address]) => {
  expect(daemonAddress(env)).toEqual(address);
});

test('an address that is none is refused', () => {
  for (const wrong of ['4263', 'host:', 'host:0', 'host:70000', 'a:b:1'])
    expect(() => daemonAddress({ SSE_AGENT_DOCKER: wrong }), wrong).toThrow('must be a host and a port');
});

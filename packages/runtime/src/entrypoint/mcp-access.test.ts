import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeContainer } from '../testing/container.ts';

let container: FakeContainer;
beforeEach(() => {
  container = new FakeContainer();
});
afterEach(() => container.remove());

/** Asks twice at once, and leaves the statuses and the last answer in the archive. */
const AGENT = `
const { writeFileSync } = require('node:fs');
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_patch', arguments: {} } };
const call = () => fetch('http://127.0.0.1:PORT/mcp', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  },
  body: JSON.stringify(message),
});
Promise.all([call(), call()]).then(async ([first, second]) => {
  writeFileSync(process.env.SSE_ARCHIVE + '/answer', [first.status, second.status, await second.text()].join(' '));
});
`;

async function freePort(): Promise<number> {
  await using server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('the server starts when the agent connects, once, and ends with the phase', async () => {
  const port = await freePort();
  writeFileSync(join(container.directory, 'agent.cjs'), AGENT.replace('PORT', String(port)));
  const command = ['--mode', 'work', '--', process.execPath, join(container.directory, 'agent.cjs')];
  expect(await container.run(command, {}, { SSE_MCP_PORT: String(port), SSE_DIFFICULTY: '4' })).toBe(0);
  expect(readFileSync(join(container.archive, 'answer'), 'utf8')).toMatch(
    /^200 200 .*test_patch result: no checks ran\./s,
  );
  expect(container.text('mcp.log').match(/msg=Listening/g)).toHaveLength(1);
  expect(container.log.match(/name=mcp/g)).toHaveLength(1);
  await expect(fetch(`http://127.0.0.1:${port}/mcp`)).rejects.toThrow('fetch failed');
});

test('a run whose agent never asks starts no server', async () => {
  expect(await container.run(['--mode', 'work', '--', '/bin/true'])).toBe(0);
  expect(container.text('mcp.log')).toBe('');
  expect(container.log).not.toContain('name=mcp');
});

test('a port that is taken keeps the run from starting', async () => {
  await using taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(await container.run(['--mode', 'work', '--', '/bin/true'], {}, { SSE_MCP_PORT: String(port) })).toBe(1);
  expect(container.json('work.json')).toMatchObject({ fault: { code: 'start_failed' } });
});

test.runIf(process.getuid?.() === 0)('a link that stood where the server’s files go is not followed', async () => {
  const [planted, target] = [join(container.directory, 'planted'), join(container.directory, 'target')];
  mkdirSync(join(target, 'logs'), { recursive: true });
  writeFileSync(join(target, 'logs', 'kept'), '');
  symlinkSync(target, planted);
  expect(await container.run(['--mode', 'work', '--', '/bin/true'], {}, { MCP_LOG_DIR: join(planted, 'logs') })).toBe(
    0,
  );
  expect(existsSync(join(target, 'logs', 'kept'))).toBe(true);
});

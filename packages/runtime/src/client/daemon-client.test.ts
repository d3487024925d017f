import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Script, ScriptedDaemon } from '../testing/scripted-daemon.ts';
import { DaemonClient } from './daemon-client.ts';

let directory: string;
let daemon: ScriptedDaemon | undefined;
let client: DaemonClient;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-'));
  client = new DaemonClient(join(directory, 'admin.sock'));
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
  await serve({ 'POST /prepare_grading': { code: 'patch_apply_failed', error: 'git apply failed: a.c' } });
  await expect(client.prepareGrading({ timeoutMs: 5_000 })).rejects.toMatchObject({
    code: 'patch_apply_failed',
    message: 'git apply failed: a.c',
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

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ROUTES } from '@ssebench/contracts/daemon-api';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

const ADMIN_ONLY = { code: 'admin_only', error: 'endpoint is only available on the admin socket' };

describe.runIf(IS_ROOT)('who may do what', () => {
  test('admin routes answer 403 on the agent socket, on HTTP and on the host socket, before and after the phase', async () => {
    await using daemon = await TestDaemon.start();
    const routes = ROUTES.filter(({ access }) => access === 'admin' || access === 'admin-and-host');
    for (const when of ['before', 'after']) {
      for (const { method, path, access } of routes) {
        const body = method === 'POST' ? {} : undefined;
        for (const listener of ['agent', 'http', 'host'] as const) {
          if (listener === 'host' && access === 'admin-and-host') continue;
          const { status, json } = await daemon[listener](path, body);
          expect([when, listener, path, status, json]).toEqual([when, listener, path, 403, ADMIN_ONLY]);
        }
      }
      await daemon.admin('/admin/agent_exited', {});
    }
  });

  test('connections of the agent have an end, so that others are heard', async () => {
    await using daemon = await TestDaemon.start();
    const sockets: Socket[] = [];
    for (let count = 0; count < 1010; count += 1) {
      const socket = connect(daemon.config.listeners.agentSocket ?? '').resume();
      await once(socket, 'connect');
      sockets.push(socket);
    }
    await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBe(10);
    expect((await daemon.admin('/version')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test('the host reads, and runs no tool', async () => {
    await using daemon = await TestDaemon.start();
    expect((await daemon.host('/tool/bash?action=execute', { command: 'true' })).json).toEqual(ADMIN_ONLY);
    for (const path of [
      '/version',
      '/project',
      '/capabilities',
      '/diff',
      '/files',
      '/agent/dialog',
      '/result',
      '/final_diff',
    ]) {
      expect([path, (await daemon.host(path)).status]).toEqual([path, 200]);
    }
  });

  test('a call that is none says what is wrong with it', async () => {
    await using daemon = await TestDaemon.start();
    const cases: [string, unknown, number, string, string][] = [
      ['/tool/bencher', {}, 400, 'invalid_request', 'action'],
      ['/tool/bencher?action=build', 'not json', 400, 'invalid_request', 'JSON'],
      ['/tool/bencher?action=build', { grading: 'x'.repeat(1024 * 1024) }, 400, 'invalid_request', 'larger than'],
      ['/tool/hammer?action=build', {}, 500, 'unknown_tool', 'tool not found: hammer'],
      ['/tool/bencher?action=dance', {}, 500, 'unknown_action', 'invalid action: dance'],
      ['/tool/bencher?action=build', { grading: 'yes' }, 500, 'invalid_request', 'invalid argument: '],
      ['/tool/bash?action=execute', { command: 1 }, 500, 'invalid_request', 'invalid argument: '],
    ];
    for (const [path, body, status, code, text] of cases) {
      const answer = await daemon.agent(path, body);
      expect([path, answer.status, answer.json]).toEqual([
        path,
        status,
        { code, error: expect.stringContaining(text) },
      ]);
    }
    expect((await daemon.admin('/admin/events', { type: 'party' })).json).toHaveProperty('code', 'invalid_request');
  });

  test('HTTP is served on the loopback addresses alone', async () => {
    await using daemon = await TestDaemon.start();
    expect((await daemon.http('/version')).status).toBe(200);
    const others = Object.values((await import('node:os')).networkInterfaces()).flat();
    const outer = others.find((address) => address && !address.internal && address.family === 'IPv4')?.address;
    if (outer) await expect(daemon.http('/version', undefined, outer)).rejects.toThrow('ECONNREFUSED');
  });
});

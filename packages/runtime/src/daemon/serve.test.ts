import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { DaemonConfig } from './config.ts';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

const PROGRAM = `
import { serve } from ${JSON.stringify(new URL('./serve.ts', import.meta.url).href)};
process.exit(await serve(() => JSON.parse(process.argv[1]), 3));
`;

/** The daemon in a process of its own; resolves when it says that it is ready. */
async function serving(config: DaemonConfig): Promise<ChildProcess> {
  const child = start(config);
  await once(child.stdio[3] as NodeJS.ReadableStream, 'data');
  return child;
}

function start(config: DaemonConfig): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, JSON.stringify(config)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
}

async function end(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
}

describe.runIf(IS_ROOT)('the daemon as a process', () => {
  test('when it is ready, every listener answers, and its sockets have their modes', async () => {
    await using daemon = await TestDaemon.prepare();
    const child = await serving(daemon.config);
    for (const listener of ['agent', 'admin', 'host'] as const) {
      expect((await daemon[listener]('/version')).json).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    }
    const mode = (path: string) => lstatSync(path).mode & 0o777;
    const { agentSocket = '', adminSocket = '', hostSocket = '' } = daemon.config.listeners;
    expect([agentSocket, adminSocket, hostSocket].map(mode)).toEqual([0o666, 0o600, 0o666]);
    child.kill();
    expect(await end(child)).toEqual([0, null]);
  });

  test('it stops in time with idle clients, running scripts, event readers and a full log that nobody reads', async () => {
    await using daemon = await TestDaemon.prepare({ task: { 'scripts/build.sh': '#!/bin/sh\nsleep 300\n' } });
    const child = await serving(daemon.config);
    const idle = connect(daemon.config.listeners.agentSocket ?? '');
    await once(idle, 'connect');
    idle.on('error', () => idle.destroy());
    const flood = Array.from({ length: 300 }, () => daemon.agent('/tool/none?action=x', { filler: 'x'.repeat(3000) }));
    await Promise.all(flood);
    const calls = [daemon.bencher('build'), daemon.bash('sleep 300'), daemon.admin('/events')];
    const ended = Promise.allSettled(calls);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const since = performance.now();
    child.kill('SIGTERM');
    expect(await end(child)).toEqual([0, null]);
    expect(performance.now() - since).toBeLessThan(4000);
    expect((await ended).map(({ status }) => status)).toHaveLength(3);
    idle.destroy();
  }, 30_000);

  test('it does not start without what it needs, and says what that is', async () => {
    await using daemon = await TestDaemon.prepare();
    const { config } = daemon;
    mkdirSync(daemon.path('open'));
    chmodSync(daemon.path('open'), 0o755);
    const cases: [Partial<DaemonConfig>, string][] = [
      [{ taskDir: daemon.path('nowhere') }, `${daemon.path('nowhere')}/config.yaml`],
      [{ listeners: { adminSocket: daemon.path('open/admin.sock') } }, 'closed to others'],
      [{ listeners: { agentSocket: `/tmp/${'x'.repeat(120)}` } }, 'longer than 107 bytes'],
      [{ listeners: { adminSocket: '/proc/none/admin.sock' } }, '/proc/none'],
    ];
    for (const [change, words] of cases) {
      const child = start({ ...config, ...change });
      const said = text(child.stderr as NodeJS.ReadableStream);
      expect([words, await end(child)]).toEqual([words, [1, null]]);
      expect(await said).toContain(words);
    }
  });
});

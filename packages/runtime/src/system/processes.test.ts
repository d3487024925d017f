import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { endProcessesOf, processesOf } from './processes.ts';

const isRoot = process.getuid?.() === 0;
const UID = 64011;
const OTHER = 64012;

/** Starts a shell as a spare user; resolves when it has written a line. */
async function start(uid: number, script: string) {
  const child = spawn('sh', ['-c', script], { uid, gid: uid, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

test.runIf(isRoot)(
  'ends daemons, stopped processes and those that ignore signals, and nobody of another user',
  async () => {
    const other = await start(OTHER, 'echo ready; exec sleep 60');
    await start(UID, "trap '' TERM HUP INT; setsid sleep 60 & setsid sleep 60 & kill -STOP $! ; echo ready; wait");
    const { ended, survivors } = await endProcessesOf([UID]);
    expect(survivors).toEqual([]);
    expect(ended).toBeGreaterThanOrEqual(3);
    expect(processesOf(new Set([UID]))).toEqual([]);
    expect(other.exitCode).toBeNull();
    await endProcessesOf([OTHER]);
  },
);

test.runIf(isRoot)('ends processes that fork without pause', async () => {
  await start(UID, 'sleep 60 & echo ready; while :; do (sleep 5 & (sleep 5 &)) & sleep 0.002; done');
  const { ended, survivors } = await endProcessesOf([UID]);
  expect(survivors).toEqual([]);
  expect(ended).toBeGreaterThan(1);
});

test.runIf(isRoot)('ends a process whose first thread has ended: it looks like a zombie and lives on', async () => {
  // 60 is the system call that ends one thread; on arm64 it is 93.
  const exit = process.arch === 'arm64' ? 93 : 60;
  const script = `use threads; $| = 1; threads->create(sub { sleep 60 }); print 'ready'; syscall(${exit}, 0)`;
  const child = spawn('perl', ['-e', script], { uid: UID, gid: UID, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const { pid } = child;
  await vi.waitUntil(() => /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1')));
  expect(processesOf(new Set([UID]))).toEqual([pid]);
  expect(await endProcessesOf([UID])).toEqual({ ended: 1, survivors: [] });
});

test.runIf(isRoot)('waits until what has ended is collected, too: it would keep others from starting', async () => {
  const script = `use POSIX; $| = 1; for (1..200) { fork or do { POSIX::setuid(${UID}); POSIX::_exit(0) } }
    print 'ready'; <STDIN>; 1 while wait > 0; <STDIN>`;
  const parent = spawn('perl', ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(parent.stdout, 'data');
  const zombies = () => readdirSync('/proc').filter((name) => isZombieOf(UID, name)).length;
  await vi.waitUntil(() => zombies() === 200, { timeout: 5_000 });
  const end = endProcessesOf([UID]);
  expect(await Promise.race([end, pause(200, 'waits')])).toBe('waits');
  parent.stdin.write('\n');
  expect(await end).toEqual({ ended: 0, survivors: [] });
  expect(zombies()).toBeLessThanOrEqual(64);
  parent.kill('SIGKILL');
});

function isZombieOf(uid: number, pid: string): boolean {
  const file = `/proc/${pid}/status`;
  if (!/^\d+$/.test(pid) || !existsSync(file)) return false;
  const status = readFileSync(file, 'latin1');
  return /^State:\s+Z/m.test(status) && status.includes(`Uid:\t${uid}\t`);
}

test('refuses root and the own user', async () => {
  await expect(endProcessesOf([0])).rejects.toThrow(RangeError);
  await expect(endProcessesOf([process.getuid?.() ?? 0])).rejects.toThrow(RangeError);
});

test.runIf(isRoot)('is done at once when there is nothing to end', async () => {
  expect(await endProcessesOf([64013])).toEqual({ ended: 0, survivors: [] });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
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

test('refuses root and the own user', async () => {
  await expect(endProcessesOf([0])).rejects.toThrow(RangeError);
  await expect(endProcessesOf([process.getuid?.() ?? 0])).rejects.toThrow(RangeError);
});

test.runIf(isRoot)('is done at once when there is nothing to end', async () => {
  expect(await endProcessesOf([64013])).toEqual({ ended: 0, survivors: [] });
});

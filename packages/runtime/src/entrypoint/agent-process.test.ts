import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Account } from '../system/accounts.ts';
import { type AgentEnd, type AgentOptions, runAgent } from './agent-process.ts';
import { CappedLog } from './log-file.ts';

const root = process.getuid?.() === 0;
const SPARE_UID = 64_101;
const account: Account = { name: 'spare', uid: SPARE_UID, gid: SPARE_UID, home: '/', shell: '/bin/sh' };

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agent-'));
  chmodSync(directory, 0o777);
});

afterEach(() => rmSync(directory, { recursive: true }));

async function run(
  command: string[],
  options: Partial<AgentOptions> & { cap?: number } = {},
): Promise<AgentEnd & { log: Buffer }> {
  const output = new CappedLog(join(directory, 'agent.log'), options.cap ?? 1024 * 1024);
  const end = await runAgent({
    command,
    account,
    root,
    env: { PATH: '/usr/bin:/bin' },
    cwd: directory,
    output,
    limitMs: 20_000,
    graceMs: 5_000,
    stop: new AbortController().signal,
    stopGraceMs: 5_000,
    ...options,
  });
  output.close();
  return { ...end, log: readFileSync(join(directory, 'agent.log')) };
}

test('the list is executed as it is: no argument is split, joined or expanded', async () => {
  const { exitCode, log } = await run(['printf', '%s|', 'a b', '$HOME', '"', '*']);
  expect(exitCode).toBe(0);
  expect(log.toString()).toBe('a b|$HOME|"|*|');
});

test('the agent gets its environment and nothing else, its directory, and nothing to read', async () => {
  const { log } = await run(['sh', '-c', 'env | grep -v ^_= | grep -v ^SHLVL= | sort; pwd; cat'], {
    env: { PATH: '/bin:/usr/bin', KEY: 'v=1' },
  });
  expect(log.toString()).toBe(`KEY=v=1\nPATH=/bin:/usr/bin\nPWD=${directory}\n${directory}\n`);
});

test.runIf(root)('the agent runs as its user, with its group alone, in a session of its own', async () => {
  const { log } = await run(['sh', '-c', 'id -u; id -G; cut -d" " -f1,6 /proc/$$/stat']);
  const [uid, groups, session] = log.toString().split('\n');
  expect([uid, groups]).toEqual([`${SPARE_UID}`, `${SPARE_UID}`]);
  const [pid, sid] = (session ?? '').split(' ');
  expect(sid).toBe(pid);
});

test('bytes that are not text reach the log as they are, from both outputs', async () => {
  const { log } = await run(['sh', '-c', "printf '\\377\\000\\200'; printf '\\376' >&2"]);
  expect([...log].sort()).toEqual([0, 0x80, 0xfe, 0xff]);
});

test('output beyond the cap is dropped and counted, and the agent is not held up', async () => {
  const { exitCode, log } = await run(['sh', '-c', 'head -c 300000 /dev/zero'], { cap: 1000 });
  expect(exitCode).toBe(0);
  expect(log.subarray(0, 1000)).toEqual(Buffer.alloc(1000));
  expect(log.subarray(1000).toString()).toBe('\n[… 299000 more bytes were not kept …]\n');
});

test("the agent's own exit status is kept, also that of a signal", async () => {
  expect(await run(['sh', '-c', 'exit 7'])).toMatchObject({ exitCode: 7, timedOut: false });
  expect(await run(['sh', '-c', 'kill -9 $$'])).toMatchObject({ exitCode: 137, timedOut: false });
});

test('an agent of its own that exits with 124 has not timed out', async () => {
  expect(await run(['sh', '-c', 'exit 124'])).toMatchObject({ exitCode: 124, timedOut: false });
});

test('at its limit the agent is asked to end, and may finish in its grace', async () => {
  const end = await run(['sh', '-c', "trap 'echo saved; exit 0' TERM; while :; do sleep 0.05; done"], { limitMs: 200 });
  expect(end).toMatchObject({ exitCode: 124, timedOut: true });
  expect(end.log.toString()).toContain('saved\n');
});

test('an agent that ignores the request is killed after its grace, its group with it', async () => {
  const marker = join(directory, 'alive');
  const start = performance.now();
  const end = await run(
    ['sh', '-c', `trap '' TERM; (trap '' TERM; sleep 2; echo > ${marker}) & while :; do sleep 0.05; done`],
    {
      limitMs: 200,
      graceMs: 200,
    },
  );
  expect(end).toMatchObject({ exitCode: 124, timedOut: true });
  expect(performance.now() - start).toBeLessThan(2_000);
  await new Promise((resolve) => setTimeout(resolve, 2_200 - (performance.now() - start)));
  expect(existsSync(marker)).toBe(false);
});

test('a child that keeps the output open does not keep the run', async () => {
  const start = performance.now();
  expect(await run(['sh', '-c', 'sleep 30 & echo done'])).toMatchObject({ exitCode: 0 });
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('a run that is to stop ends its agent, and that is no time-out', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  expect(await run(['sleep', '30'], { stop: stop.signal })).toMatchObject({ exitCode: 143, timedOut: false });
});

test.for([
  ['that is not there', './missing', 'ENOENT'],
  ['that is not executable', './plain', 'EACCES'],
] as const)('a command %s is not started', async ([, command, code]) => {
  writeFileSync(join(directory, 'plain'), 'x', { mode: 0o644 });
  await expect(run([command])).rejects.toThrow(code);
});

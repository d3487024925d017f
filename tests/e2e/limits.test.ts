import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SmallDisk } from '@ssebench/bench/testing/small-disk';
import { CAPS } from '@ssebench/contracts/caps';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLIABLE_DATASET } from './support/live-run.ts';

import { runDirectory, scriptAgent, summaryIn, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const MIB = 1024 * 1024;

/** A directory that no path can name, and a shell in it. */
const tooDeep = (script: string) =>
  `perl -e 'for (1..40) { mkdir "d" x 200; chdir "d" x 200 } exec "sh", "-c", shift' '${script}'`;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    writer: scriptAgent('head -c 300M /dev/zero > /tmp/large; sleep 600'),
    'quick-writer': scriptAgent('head -c 300M /dev/zero > /tmp/large'),
    'deep-writer': scriptAgent(`cd /tmp; ${tooDeep('head -c 300M /dev/zero > large; sleep 600')}`),
    'volume-writer': {
      dockerfile:
        'FROM ssebench-agent\nUSER root\nRUN mkdir -m 777 /data\nVOLUME /data\nUSER model\n' +
        'CMD ["/bin/sh", "-c", "head -c 300M /dev/zero > /data/large"]\n',
    },
    archivist: scriptAgent(
      'echo session > $SSE_ARCHIVE/dialog.jsonl; fallocate -l 2100M $SSE_ARCHIVE/large; sleep 600',
    ),
    collector: scriptAgent(
      "cd $SSE_ARCHIVE; echo session > dialog.jsonl; : > a; perl -e 'link(q(a), $_) or die for 1..50001'; sleep 600",
    ),
    holes: scriptAgent(`truncate -s 1T /tmp/sparse; cd /tmp; ${tooDeep('echo x > file; sleep 3')}`),
    talker: scriptAgent('yes "a line that is said again and again" | head -c 70M'),
    hog: scriptAgent('tail /dev/zero; echo status $?; echo fixed > fix.txt'),
    forker: scriptAgent(
      `perl -e 'while (defined(my $pid = fork)) { $pid or do { sleep 600; exit } } print "no more: $!\\n"'; exit 3`,
    ),
    editor: scriptAgent('yes "$(printf %01000d 7)" | head -c 300M > large.txt'),
    'sparse-editor': scriptAgent('truncate -s 2G large.bin'),
    witness: scriptAgent(
      'cd /sys/fs/cgroup; ' +
        'cat memory/memory.limit_in_bytes memory.max pids/pids.max pids.max 2> /dev/null; ' +
        'cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us cpu.max 2> /dev/null | xargs',
    ),
    unlinker: scriptAgent('exec 3> $SSE_ARCHIVE/x; rm $SSE_ARCHIVE/x; head -c 100M /dev/zero >&3; sleep 600'),
    filler: scriptAgent('echo "head -c 300M /dev/zero > /tmp/large; sleep 600" > do-build'),
    'failing-filler': scriptAgent(
      'echo "exit 1" > do-poc; echo "head -c 300M /dev/zero > /tmp/large; sleep 600" > do-test',
    ),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const ofAgent = (code: string) => ({
  patch_result: { status: 'error', build_success: null },
  outcome: { code, fault: { code, blame: 'agent', retryable: false } },
});

async function runPliable(agent: string, ...options: string[]) {
  const args = ['run', '--local', PLIABLE_DATASET, '--task', 'pliable-c', '--agent', agent];
  return summaryIn(runDirectory(await workspace.run(...args, '--model', 'claude-sonnet-4-6', ...options)));
}

test('the limits of a run are those that hold inside, and its summary tells them', async () => {
  const options = ['--memory', '512m', '--cpus', '0.5', '--pids', '5000', '--disk', '3g'];
  const { directory, summary } = await workspace.runOnNoop('witness', ...options);
  expect(await readFile(join(directory, 'agent.log'), 'utf8')).toBe(`${512 * MIB}\n5000\n50000 100000\n`);
  const { disk_enforced_by, ...limits } = summary.limits;
  expect(limits).toEqual({ memory_bytes: 512 * MIB, cpus: 0.5, pids: 5000, disk_bytes: 3 * 1024 * MIB, ...CAPS });
  expect(['engine', 'watch']).toContain(disk_enforced_by);
});

test('an agent that writes more than --disk is stopped long before its time is up', async () => {
  const { summary } = await workspace.runOnNoop('writer', '--disk', '128m');
  expect(summary).toMatchObject(ofAgent('disk_limit'));
  expect(summary.outcome.fault?.detail).toMatch(/^the container wrote \d{3}\.\d MiB: more than 128\.0 MiB, the limit/);
  expect(summary.runtime_result.agent_duration).toBeLessThan(60);
});

test.for(everything ? ['separate', 'same'] : ['separate'])(
  'what an agent wrote in its last moment counts: %s',
  async (grading) => {
    const { summary } = await workspace.runOnNoop('quick-writer', '--disk', '128m', '--grading', grading);
    expect(summary).toMatchObject(ofAgent('disk_limit'));
  },
);

test.runIf(everything)("a volume of the agent's image is no way around", async () => {
  expect((await workspace.runOnNoop('volume-writer', '--disk', '128m')).summary).toMatchObject(ofAgent('disk_limit'));
});

test.runIf(everything)('a place that no path can name hides nothing', async () => {
  const { summary } = await workspace.runOnNoop('deep-writer', '--disk', '128m');
  expect(summary).toMatchObject(ofAgent('disk_limit'));
});

test('holes in files, and places that the engine cannot measure, are no use of a disk', async () => {
  const { summary } = await workspace.runOnNoop('holes', '--disk', '128m');
  expect(summary.outcome.code).toBe('graded');
});

test.for([['archivist', 'bytes'], ...(everything ? [['collector', 'files and directories'] as const] : [])] as const)(
  'an archive over its limit ends the run, and only the session is kept: %s',
  async ([agent, what]) => {
    const { directory, summary } = await workspace.runOnNoop(agent);
    expect(summary).toMatchObject(ofAgent('archive_limit'));
    expect(summary.outcome.fault?.detail).toContain(what);
    expect(await readFile(join(directory, 'archive/dialog.jsonl'), 'utf8')).toBe('session\n');
    await expect(stat(join(directory, 'archive/large'))).rejects.toThrow('ENOENT');
  },
);

test.runIf(process.getuid?.() === 0)(
  'a disk that is filled by files without a name is put down to who had them',
  async () => {
    using _disk = new SmallDisk(join(workspace.path, 'results'), '16m');
    const { summary } = await workspace.runOnNoop('unlinker');
    expect(summary).toMatchObject(ofAgent('host_disk_low'));
  },
);

test('of endless output the beginning is kept, and how much more there was', async () => {
  const { directory, summary } = await workspace.runOnNoop('talker');
  expect(summary.outcome.code).toBe('graded');
  const log = await readFile(join(directory, 'agent.log'), 'latin1');
  const note = `\n[… ${6 * MIB} more bytes were not kept …]\n`;
  expect(log.length).toBe(64 * MIB + Buffer.byteLength(note));
  expect(Buffer.from(log.slice(-Buffer.byteLength(note)), 'latin1').toString()).toBe(note);
});

test('an agent that uses up the memory loses a process, not its grade', async () => {
  const { directory, summary } = await workspace.runOnNoop('hog', '--memory', '256m');
  expect(await readFile(join(directory, 'agent.log'), 'utf8')).toMatch(/status 137\n/);
  expect(summary.outcome.code).toBe('graded');
  expect(await readFile(join(directory, 'final.patch'), 'utf8')).toContain('+fixed');
});

test('an agent that uses up the processes is ended and graded', async () => {
  const { directory, summary } = await workspace.runOnNoop('forker');
  expect(await readFile(join(directory, 'agent.log'), 'utf8')).toMatch(/no more: /);
  expect(summary.runtime_result.agent_exit_code).toBe(3);
  expect(summary.outcome.code).toBe('graded');
});

test.runIf(everything)('a patch with a file that is too large for it is no patch', async () => {
  expect((await workspace.runOnNoop('sparse-editor')).summary).toMatchObject(ofAgent('patch_too_large'));
});

test('a patch over its limit is no patch', async () => {
  expect((await workspace.runOnNoop('editor')).summary).toMatchObject(ofAgent('patch_too_large'));
});

test('a build that writes more than --disk ends the grading, and the patch is to blame', async () => {
  const summary = await runPliable('filler', '--disk', '128m');
  expect(summary).toMatchObject(ofAgent('disk_limit'));
  expect(summary.outcome.fault?.phase).toBe('grading');
});

test.for(everything ? ['separate', 'same'] : ['separate'])(
  'a check that failed stays failed when a later one fills the disk: %s',
  async (grading) => {
    const summary = await runPliable('failing-filler', '--disk', '128m', '--grading', grading);
    expect(summary.patch_result).toMatchObject({ status: 'failed', build_success: true, pov_passed: 0, pov_total: 1 });
  },
);

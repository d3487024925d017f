import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ResultFile } from '@ssebench/contracts/result';
import { Summary } from '@ssebench/contracts/summary';
import { expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../cli/test-cli.ts';
import { places } from '../testing/places.ts';
import { SmallDisk } from '../testing/small-disk.ts';
import { startedRun } from '../testing/started-run.ts';
import { readGradeOutcome } from './outcome-files.ts';
import { RunRecord } from './record.ts';
import { decidedOutcome, endRun, finishRun } from './write-results.ts';

const CRASH_AT = fileURLToPath(new URL('../testing/crash-at.ts', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../testing/end-run-program.ts', import.meta.url));

const CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'ssebench-test-compile-cache') };

const CHECK = {
  check: 'build',
  poc: null,
  outcome: 'passed',
  exit_code: 0,
  duration_ms: 3,
  log: 'scriptrunner-1.log',
  confirmed: false,
  reason: null,
};
const GRADE = {
  patch_result: {
    status: 'passed',
    build_success: true,
    pov_passed: null,
    pov_total: null,
    func_test_success: null,
    intent_test_success: null,
    error_msg: null,
    error_log: null,
  },
  runtime_result: { agent_duration: 1, agent_timeout: false, evaluator_timeout: false, agent_exit_code: 0 },
};

const MOMENT = { at: '2026-01-02T03:04:05.678Z', seconds: 30.1 };
const SNAPSHOTS = [
  { ...MOMENT, file: '0001-30s.diff', bytes: 4, files: 1, sha256: '0'.repeat(64) },
  { ...MOMENT, problem: 'too large' },
];

/** A run whose containers have left all that they leave, and that only has to be ended. */
async function gradedRun(folder: CliFolder) {
  const run = await startedRun(folder);
  await run.owner.release();
  const write = (name: string, text: string) => folder.write(join('results/.live', run.directory.token, name), text);
  write('work/final.patch', 'diff');
  write('work/daemon.log', 'first\n');
  write('work/agent.log', 'said\n');
  write('work/snapshots.jsonl', SNAPSHOTS.map((line) => `${JSON.stringify(line)}\n`).join(''));
  write('work/snapshot-0001-30s.diff', 'diff');
  write('grade/daemon.log', 'second\n');
  write('grade/scriptrunner-1.log', 'code=0\n');
  write('grade/checks.json', JSON.stringify([CHECK]));
  write('grade/result.json', JSON.stringify(GRADE));
  return run;
}

type GradedRun = Awaited<ReturnType<typeof gradedRun>>;

/**
 * Ends the run in a process of its own, killed at its n-th change, or with a disk that is full from then on. Returns how
 * many changes there were when it ended by itself.
 */
function endDisturbedAt({ root, directory }: GradedRun, at: number, how: 'torn' | 'full' = 'torn'): number | undefined {
  const count = join(dirname(root), 'count');
  const env = {
    ...process.env,
    CRASH_BENEATH: root,
    CRASH_AT: String(at),
    CRASH_HOW: how,
    CRASH_COUNT: count,
    ...CACHE,
  };
  const argv = ['--import', CRASH_AT, PROGRAM, root, directory.token];
  const { status, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
  if (status === 1 && !stderr.includes('ENOSPC')) throw new Error(stderr);
  return status === 0 ? Number(readFileSync(count, 'utf8')) : undefined;
}

/** What another command does with it. */
async function end({ directory, facts }: GradedRun): Promise<void> {
  if (!existsSync(directory.live)) return;
  const decided = await decidedOutcome(directory);
  if (decided) return finishRun(directory, decided);
  const record = new RunRecord();
  record.grade = await readGradeOutcome(directory.grade);
  await endRun(directory, facts, record);
}

function expectEnded({ root, directory }: GradedRun): Summary {
  expect(readdirSync(join(root, '.live'))).toEqual([]);
  expect(lstatSync(directory.path).isDirectory()).toBe(true);
  const read = (name: string) => readFileSync(join(directory.path, name), 'utf8');
  // Without room to join them the parts of a log stand side by side.
  const apart = existsSync(join(directory.path, 'daemon.grade.log'));
  expect(readdirSync(directory.path).sort()).toEqual([
    'agent.log',
    'archive',
    'checks.json',
    ...(apart ? ['daemon.grade.log'] : []),
    'daemon.log',
    'final.patch',
    'result.json',
    'scriptrunner-1.log',
    'snapshots',
    'summary.json',
  ]);
  expect(read('daemon.log') + (apart ? read('daemon.grade.log') : '')).toBe('first\nsecond\n');
  expect(read('final.patch')).toBe('diff');
  expect(readdirSync(join(directory.path, 'snapshots')).sort()).toEqual(['0001-30s.diff', 'index.jsonl']);
  const index = read('snapshots/index.jsonl').trimEnd().split('\n');
  expect(index.map((line) => JSON.parse(line))).toEqual(SNAPSHOTS);
  const summary = Summary.parse(JSON.parse(read('summary.json')));
  expect(summary.snapshots).toMatchObject({ kept: 1, bytes: 4, first_change: 30.1, failed: 1, problem: 'too large' });
  expect(ResultFile.parse(JSON.parse(read('result.json'))).patch_result).toEqual(summary.patch_result);
  expect(summary).toMatchObject({ patch_result: GRADE.patch_result, outcome: { code: 'graded', fault: null } });
  return summary;
}

test('killed in the middle of any of its changes, a run that ends is ended by another command', async () => {
  using whole = cliFolder();
  const undisturbed = await gradedRun(whole);
  const changes = endDisturbedAt(undisturbed, 0) ?? 0;
  expect(changes).toBeGreaterThan(20);
  expectEnded(undisturbed);
  for (const at of places(() => changes)) {
    using folder = cliFolder();
    const run = await gradedRun(folder);
    endDisturbedAt(run, at);
    const before = existsSync(run.directory.live) ? await decidedOutcome(run.directory) : undefined;
    await end(run);
    const summary = expectEnded(run);
    if (before) expect(summary).toEqual(before);
  }
}, 180_000);

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  'on a disk that is full from any of its changes on, a run ends, or is ended when there is room',
  async () => {
    let changes: number | undefined;
    const ends = new Set<string>();
    for (const at of places(() => changes)) {
      using folder = cliFolder();
      using disk = new SmallDisk(join(folder.dir, 'results'), '4m');
      const run = await gradedRun(folder);
      const count = endDisturbedAt(run, at, 'full');
      ends.add(count === undefined ? 'not yet' : 'ended');
      if (count !== undefined) changes ??= count;
      disk.empty();
      await end(run);
      expectEnded(run);
    }
    expect(changes).toBeGreaterThan(20);
    expect([...ends].sort()).toEqual(['ended', 'not yet']);
  },
  180_000,
);

test('what was decided stands, whatever is found afterwards', async () => {
  using folder = cliFolder();
  const run = await gradedRun(folder);
  for (let at = 1; !(await decidedOutcome(run.directory)); at += 1) endDisturbedAt(run, at);
  folder.write(join('results/.live', run.directory.token, 'grade/result.json'), 'no result');
  await end(run);
  expect(expectEnded(run).patch_result.status).toBe('passed');
});

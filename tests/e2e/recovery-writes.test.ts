import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SmallDisk } from '@ssebench/bench/testing/small-disk';
import { ResultFile } from '@ssebench/contracts/result';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { LiveRun } from './support/live-run.ts';
import { scriptAgent, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const CRASH_AT = join(CHECKOUT, 'packages/bench/src/testing/crash-at.ts');

let workspace: Workspace;
let results: string;
/** How many changes a command makes of its results. */
let changes: number;
beforeAll(async () => {
  workspace = await Workspace.create({ fixer: scriptAgent('echo fixed > fix.txt') });
  results = join(workspace.path, 'results');
  // The first one makes the folder of results, too.
  for (let times = 0; times < 2; times += 1) {
    await using run = await disturbedRun(0, 'torn');
    expect((await run.ended).status).toBe(0);
  }
  changes = Number(readFileSync(join(workspace.path, 'count'), 'utf8'));
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** A run whose command is killed in the middle of its n-th change, or has a full disk from then on. */
function disturbedRun(at: number, how: 'torn' | 'full'): Promise<LiveRun> {
  return LiveRun.start(workspace, 'fixer', {
    env: {
      NODE_OPTIONS: `--import=${CRASH_AT}`,
      CRASH_BENEATH: results,
      CRASH_AT: String(at),
      CRASH_HOW: how,
      CRASH_COUNT: join(workspace.path, 'count'),
    },
  });
}

/** Every change, or some: around the start of the agent, and at the end. */
function moments(): number[] {
  if (everything) return Array.from({ length: changes }, (_, index) => index + 1);
  return [Math.round(changes / 2), changes - 8];
}

/** The run has ended in exactly one place, with valid files; or it never had a name, and its ID is free. */
async function expectWhole(run: LiveRun): Promise<'passed' | 'error' | 'nothing'> {
  expect(await run.containers()).toEqual([]);
  const live = existsSync(join(results, '.live')) ? readdirSync(join(results, '.live')) : [];
  if (!lstatSync(run.directory, { throwIfNoEntry: false })) {
    // Killed before it had an owner: `gc` takes such a directory away when it is old.
    for (const token of live) {
      expect(existsSync(join(results, '.live', token, 'owner.json'))).toBe(false);
      rmSync(join(results, '.live', token), { recursive: true });
    }
    return 'nothing';
  }
  expect(live).toEqual([]);
  expect(lstatSync(run.directory).isDirectory()).toBe(true);
  expect(readdirSync(run.directory).filter((name) => name.startsWith('.'))).toEqual([]);
  const summary = await run.summary();
  const result = ResultFile.parse(JSON.parse(readFileSync(join(run.directory, 'result.json'), 'utf8')));
  expect(result.patch_result).toEqual(summary.patch_result);
  const { status } = summary.patch_result;
  if (status === 'error') expect(summary.outcome.fault).toMatchObject({ blame: 'infra', retryable: true });
  else {
    expect(status).toBe('passed');
    expect(readFileSync(join(run.directory, 'final.patch'), 'utf8')).toContain('+fixed');
  }
  return status as 'passed' | 'error';
}

test('killed in the middle of any change of its results, a command loses nothing', async () => {
  const ends: string[] = [];
  for (const at of moments()) {
    await using run = await disturbedRun(at, 'torn');
    expect((await run.ended).status).toBeNull();
    const { status, stderr } = await workspace.run('runs', 'recover');
    expect({ at, status, stderr }).toMatchObject({ at, status: 0 });
    ends.push(await expectWhole(run));
  }
  // From some change on there is a run, and from some later one on there is what it costs money to get.
  expect(ends).toEqual([...ends].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  expect(ends.at(-1)).toBe('passed');
});
const ORDER = ['nothing', 'error', 'passed'];

test.runIf(process.getuid?.() === 0)(
  'on a disk that is full from any change on, a run ends as an error or is ended later',
  async () => {
    const statuses = new Set<number | null>();
    for (const at of moments()) {
      rmSync(results, { recursive: true, force: true });
      using disk = new SmallDisk(results, '16m');
      await using run = await disturbedRun(at, 'full');
      const { status } = await run.ended;
      statuses.add(status);
      disk.empty();
      const recovered = await workspace.run('runs', 'recover');
      expect({ at, ...recovered }).toMatchObject({ at, status: 0 });
      await expectWhole(run);
    }
    if (everything) expect([...statuses].sort()).toEqual([0, 1]);
  },
);

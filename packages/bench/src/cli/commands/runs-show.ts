import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import { type Integrity, isSolved } from '@ssebench/contracts/integrity';
import type { SnapshotReport } from '@ssebench/contracts/snapshots';
import type { Summary } from '@ssebench/contracts/summary';
import { checksOf } from '@ssebench/contracts/task-config';
import { findRun } from '../../results/find-run.ts';
import { logTail } from '../../results/log-tail.ts';
import { ownerLives, readOwner } from '../../results/owner.ts';
import { repeatByHand } from '../../results/repeat-by-hand.ts';
import { replayText } from '../../results/replay-text.ts';
import { readFullSummary } from '../../results/run-summary.ts';
import type { FinishedRun, UnfinishedRun } from '../../results/scan.ts';
import { missingTestsText } from '../../run/tests-report.ts';
import { closingLines } from '../closing-lines.ts';
import { columns, print, printJson } from '../output.ts';
import { checkRunId } from './run-containers.ts';

const TAIL_LINES = 15;
/** How many touched tests are listed. */
const MAX_TOUCHED = 20;

export interface RunsShowOptions {
  dir: string;
  json?: boolean;
}

/** A check with what a person wants to see of it. */
type ShownCheck = CheckRecord & { log_tail: string[] | null; repeat: string | null };

/** `ssebench runs show`: needs no engine. */
export async function runsShow(runId: string, { dir, json = false }: RunsShowOptions): Promise<number> {
  checkRunId(runId);
  const found = findRun(dir, runId);
  if (!found.ended) await showUnfinished(found.run, json);
  else showFinished(found.run, json);
  return 0;
}

async function showUnfinished(run: UnfinishedRun, json: boolean): Promise<void> {
  const owner = readOwner(run.dir);
  const goesOn = owner !== undefined && (await ownerLives(owner.socket));
  if (json) return printJson({ ...run, state: goesOn ? 'running' : 'lost' });
  print(
    `Run ${run.run_id}: ${goesOn ? 'goes on' : `its command was killed; "ssebench runs recover ${run.run_id}" ends it`}`,
  );
  print(`Task ${run.task}, agent ${run.agent}, model ${run.model}`);
  print(`Run directory: ${run.dir}`);
}

function showFinished(run: FinishedRun, json: boolean): void {
  const summary = readFullSummary(run.dir);
  if (!summary) {
    showForeign(run, json);
    return;
  }
  const checks = summary.checks.map((check) => shownCheck(check, summary, run.dir));
  if (json) {
    printJson({ ...run, summary, checks });
    return;
  }
  printRun(run, summary, checks);
  if (summary.integrity) printIntegrity(summary.integrity, run.dir);
}

/** A run of another version or tool: only what all of them write. */
function showForeign(run: FinishedRun, json: boolean): void {
  if (json) {
    printJson(run);
    return;
  }
  print(`Run ${run.run_id}: ${run.status ?? 'no grade'} (not written by this version, which shows no more of it)`);
  print(`Task ${run.task}, agent ${run.agent}, model ${run.model}`);
  print(`Run directory: ${run.dir}`);
}

function shownCheck(check: CheckRecord, { task, images, capture }: Summary, dir: string): ShownCheck {
  const patchBytes = capture?.patch_bytes ?? 1;
  const repeat = images.case && repeatByHand(check, { config: task, image: images.case, dir, patchBytes });
  return { ...check, ...tailOf(check, dir), repeat };
}

function tailOf({ log }: CheckRecord, dir: string): Pick<ShownCheck, 'log_tail'> {
  return { log_tail: (log === null ? undefined : logTail(join(dir, log), TAIL_LINES)) ?? null };
}

function printRun(run: FinishedRun, summary: Summary, checks: readonly ShownCheck[]): void {
  const { config, patch_result: patchResult, integrity, runtime_result: runtime, outcome } = summary;
  print(`Run ${run.run_id}`);
  print(
    `Task ${run.task}, agent ${config.agent}, model ${config.model}, difficulty ${config.difficulty}, grading ${config.grading}`,
  );
  print(
    `Started ${summary.started_at}, took ${seconds(Date.parse(summary.ended_at) - Date.parse(summary.started_at))}`,
  );
  const agentEnd = runtime.agent_timeout ? 'stopped at its limit' : `exit status ${runtime.agent_exit_code ?? 'none'}`;
  print(`Agent ${runtime.agent_duration} s, ${agentEnd}; spend ${summary.spend.toFixed(2)} USD`);
  if (summary.snapshots) print(snapshotsText(summary.snapshots));
  if (summary.model?.replay) print(`Replay of run ${config.replay_of}: ${replayText(summary.model.replay)}`);
  if (outcome.fault)
    print(`Fault ${outcome.code} (${outcome.fault.phase}, blame: ${outcome.fault.blame}): ${outcome.fault.detail}`);
  const closing = { patchResult, integrity, checks: checksOf(summary.task), directory: run.dir };
  for (const line of closingLines(closing)) print(line);
  print(`Solved: ${isSolved(summary) ? 'yes' : 'no'}`);
  for (const line of missingTestsText(summary.tests)) print(line);
  if (checks.length === 0) return;
  printChecks(checks);
  for (const check of checks) printCheck(check);
}

function printChecks(checks: readonly CheckRecord[]): void {
  print('');
  const rows = checks.map((check) => [nameOf(check), outcomeOf(check), seconds(check.duration_ms), check.log ?? '-']);
  print(columns(['CHECK', 'OUTCOME', 'TIME', 'LOG'], rows));
}

/** What the patch touched of what judges it, and how it did without that. */
function printIntegrity({ touched_tests: touched, touched_tests_total: total, strict }: Integrity, dir: string): void {
  if (total === 0 && strict.status === 'not_needed') return;
  print(`\nThe patch touches ${total} tests, build scripts or test configuration files:`);
  for (const path of touched.slice(0, MAX_TOUCHED)) print(`  ${JSON.stringify(path)}`);
  if (total > MAX_TOUCHED) print(`  and ${total - MAX_TOUCHED} more; summary.json has the first ${touched.length}`);
  print(`Strict tree, with the project's own: ${strict.status}${strict.detail === null ? '' : `: ${strict.detail}`}`);
  if (strict.checks.length > 0) printChecks(strict.checks);
  for (const check of strict.checks) {
    if (check.outcome !== 'passed') printCheck({ ...check, ...tailOf(check, dir), repeat: null });
  }
}

function printCheck(check: ShownCheck): void {
  print(`\n${nameOf(check)}: ${outcomeOf(check)}`);
  if (check.log_tail) for (const line of check.log_tail) print(`  | ${line}`);
  else if (check.log) print(`  ${check.log}: not there any more`);
  if (check.repeat) print(`  repeat: ${check.repeat}`);
}

function nameOf({ check, poc }: CheckRecord): string {
  return poc === null ? check : `${check} ${poc}`;
}

function outcomeOf({ outcome, exit_code, reason, confirmed }: CheckRecord): string {
  const why = reason ? reason.replaceAll('_', ' ') : exit_code ? `exit status ${exit_code}` : undefined;
  const text =
    outcome === 'check_timeout' ? 'failed (time limit)' : outcome === 'failed' && why ? `failed (${why})` : outcome;
  return confirmed ? `${text}, confirmed` : text;
}

/** When the patch was seen to change. */
function snapshotsText({ kept, first_change: first, last_change: last, failed, problem }: SnapshotReport): string {
  const whole = (value: number) => `${Math.round(value)} s`;
  const seen =
    first === null || last === null
      ? 'no change seen'
      : `first change after ${whole(first)}, last after ${whole(last)}; ${kept} ${kept === 1 ? 'snapshot' : 'snapshots'}`;
  return `Patch: ${seen}${failed === 0 ? '' : `; ${failed} not taken: ${problem?.split('\n')[0]}`}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

import type { Capabilities, ScriptResult } from '@ssebench/contracts/daemon-api';
import type { BencherAction, CheckName } from '@ssebench/contracts/difficulty';
import type { GradedCheck } from '@ssebench/contracts/grade';
import type { CheckArgument } from '@ssebench/sdk/daemon/daemon-client';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import type { AdminClient } from '../client/admin-client.ts';

/** The part of the daemon that grading needs. */
export type GradingDaemon = Pick<AdminClient, 'check' | 'project' | 'capabilities' | 'prepareGrading'>;

/** What a call may take beside its script's own limit: a new runner session and a copy of the tree. Milliseconds. */
const CALL_MARGIN_MS = 300_000;

export interface CheckLimits {
  /** Limit of one script run, which the daemon enforces. Seconds. */
  checkTimeout: number;
  signal: AbortSignal;
}

const ACTIONS: Record<CheckName, BencherAction> = {
  build: 'build',
  poc: 'run_poc',
  function_test: 'function_test',
  intent_test: 'intent_test',
};

/** The checks that a task has, in grading order. */
export function checksThatRun(can: Capabilities): CheckName[] {
  const checks: CheckName[] = [];
  if (can.can_build) checks.push('build');
  if (can.can_run_poc) checks.push('poc');
  if (can.has_function_test) checks.push('function_test');
  if (can.has_intent_test) checks.push('intent_test');
  return checks;
}

/**
 * Runs the checks that the task has on the prepared copy and yields each when it has ended, in grading order. A failed
 * build is the last one; after any other failure the rest still runs. Source: spec/runtime §8.
 * @throws DaemonError for everything but a check's own outcome; the reason of `limits.signal` when it is aborted
 */
export async function* runChecks(
  daemon: GradingDaemon,
  can: Capabilities,
  limits: CheckLimits,
): AsyncGenerator<GradedCheck, void, void> {
  const checks = checksThatRun(can);
  let build: string | undefined;
  if (checks.includes('build')) {
    const { check, result } = await runCheck(daemon, 'build', { grading: true }, limits);
    yield check;
    if (check.record.outcome !== 'passed') return;
    build = result?.build ?? undefined;
  }
  if (checks.includes('poc')) {
    const { poc: pocs } = await daemon.project({ signal: limits.signal });
    for (const poc of pocs) yield (await runCheck(daemon, 'poc', { grading: true, poc, build }, limits)).check;
  }
  for (const name of ['function_test', 'intent_test'] as const) {
    if (checks.includes(name)) yield (await runCheck(daemon, name, { grading: true }, limits)).check;
  }
}

interface CheckRun {
  check: GradedCheck;
  /** Null for hidden tests that do not apply: no script ran. */
  result: ScriptResult | null;
}

/** One check; one that hits its limit is run once more, and the second run counts. */
export async function runCheck(
  daemon: GradingDaemon,
  name: CheckName,
  argument: CheckArgument,
  limits: CheckLimits,
): Promise<CheckRun> {
  const call = { timeoutMs: limits.checkTimeout * 1000 + CALL_MARGIN_MS, signal: limits.signal };
  const poc = argument.poc ?? null;
  const start = performance.now();
  try {
    const first = await daemon.check(ACTIONS[name], argument, call);
    const confirmed = first.outcome === 'timed_out';
    const result = confirmed ? await daemon.check(ACTIONS[name], argument, call) : first;
    return { check: graded(name, poc, result, confirmed), result };
  } catch (error) {
    if (!(error instanceof DaemonError) || error.code !== 'hidden_tests_do_not_apply') throw error;
    const record = {
      check: name,
      poc,
      outcome: 'failed' as const,
      exit_code: null,
      duration_ms: Math.round(performance.now() - start),
      log: null,
      confirmed: false,
      reason: 'hidden_tests_do_not_apply' as const,
    };
    return { check: { record, output: error.message }, result: null };
  }
}

function graded(name: CheckName, poc: string | null, result: ScriptResult, confirmed: boolean): GradedCheck {
  const exited = result.outcome === 'exited';
  const ended = exited && result.code === 0 ? 'passed' : 'failed';
  return {
    record: {
      check: name,
      poc,
      outcome: result.outcome === 'timed_out' ? 'check_timeout' : ended,
      exit_code: exited ? result.code : null,
      duration_ms: result.duration_ms,
      log: result.log,
      confirmed,
      reason: null,
    },
    output: `${result.stdout}\n${result.stderr}`,
  };
}

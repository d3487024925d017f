import type { ScriptResult } from '@ssebench/contracts/daemon-api';
import { type BencherAction, type CheckName, type Difficulty, isAllowed } from '@ssebench/contracts/difficulty';
import type { CallLimit, DaemonClient } from '@ssebench/sdk/daemon/daemon-client';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';

/** The checks in the order in which `test_patch` runs them. Source: seeds/difficulty-levels. */
export const RUN_ORDER = ['build', 'poc', 'intent_test', 'function_test'] as const satisfies readonly CheckName[];

const ACTIONS: Record<CheckName, BencherAction> = {
  build: 'build',
  poc: 'run_poc',
  function_test: 'function_test',
  intent_test: 'intent_test',
};

/** How a check that the level allows ended. */
export interface TestedCheck {
  check: CheckName;
  state: 'passed' | 'failed' | 'not_run';
  detail?: string;
  /** Of a check that failed: both outputs of its script. */
  log?: string;
}

/** What `test_patch` found: the checks that the level allows, in run order. */
export interface PatchTest {
  level: Difficulty;
  checks: readonly TestedCheck[];
}

export type TestingDaemon = Pick<DaemonClient, 'capabilities' | 'project' | 'check'>;

interface TestOptions extends CallLimit {
  /** Of one check; the daemon has a limit of its own for its script. */
  timeoutMs: number;
  /** Called when a check begins, with words for it such as `PoC 2 of 3`. */
  onCheck: (what: string) => void;
}

type Ran = Pick<ScriptResult, 'code' | 'stdout' | 'stderr' | 'outcome' | 'build'>;

export function isEnabled(check: CheckName, level: Difficulty): boolean {
  return isAllowed(ACTIONS[check], level);
}

/**
 * Tests the agent's tree as it is now with the checks that the level allows and the task has.
 * Source: seeds/difficulty-levels, spec/runtime §9.1.
 * @throws DaemonError for what kept a check from running; the reason of `signal` when it is aborted
 */
export async function testPatch(daemon: TestingDaemon, level: Difficulty, options: TestOptions): Promise<PatchTest> {
  const enabled = RUN_ORDER.filter((check) => isEnabled(check, level));
  if (enabled.length === 0) return { level, checks: [] };
  const can = await daemon.capabilities({ signal: options.signal });
  const run = (check: CheckName, what: string, argument = {}) => {
    options.onCheck(what);
    return runCheck(daemon, check, argument, options);
  };

  const checks: TestedCheck[] = [];
  let build: Ran | undefined;
  for (const check of enabled) {
    if (build && build.code !== 0) {
      checks.push({ check, state: 'not_run', detail: 'the build failed' });
      continue;
    }
    switch (check) {
      case 'build':
        build = can.can_build ? await run('build', 'build') : undefined;
        checks.push(build ? tested('build', build) : none('build'));
        break;
      case 'poc':
        checks.push(can.can_run_poc ? await testPocs() : { check, state: 'passed', detail: 'the task has none' });
        break;
      case 'intent_test':
        checks.push(can.has_intent_test ? tested('intent_test', await run(check, 'intent tests')) : none(check));
        break;
      case 'function_test':
        if (checks.some((other) => other.check === 'intent_test' && other.state === 'passed'))
          checks.push({ check, state: 'passed', detail: 'covered by the intent tests' });
        else checks.push(can.has_function_test ? tested(check, await run(check, 'functional tests')) : none(check));
    }
  }
  return { level, checks };

  async function testPocs(): Promise<TestedCheck> {
    if (!build) return { check: 'poc', state: 'not_run', detail: 'the task has no build' };
    const { poc: pocs } = await daemon.project({ signal: options.signal });
    for (const [index, poc] of pocs.entries()) {
      const result = await run('poc', `PoC ${index + 1} of ${pocs.length}`, { poc, build: build.build ?? undefined });
      if (result.code === 0) continue;
      const detail = `passed ${index} of ${pocs.length}; stopped at the first that still triggers the bug`;
      return { ...tested('poc', result), detail };
    }
    return { check: 'poc', state: 'passed', detail: `${pocs.length} of ${pocs.length}` };
  }
}

/** Hidden tests that do not apply are failed intent tests. Source: spec/runtime §10. */
async function runCheck(
  daemon: TestingDaemon,
  check: CheckName,
  argument: { poc?: string; build?: string },
  { timeoutMs, signal }: TestOptions,
): Promise<Ran> {
  try {
    return await daemon.check(ACTIONS[check], argument, { timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof DaemonError) || error.code !== 'hidden_tests_do_not_apply') throw error;
    return { code: 1, stdout: '', stderr: error.message, outcome: 'exited', build: null };
  }
}

function tested(check: CheckName, { code, stdout, stderr, outcome }: Ran): TestedCheck {
  if (code === 0) return { check, state: 'passed' };
  const end = outcome === 'timed_out' ? '\n\n(The script was ended at its time limit.)' : '';
  return { check, state: 'failed', log: `${stdout}\n\n${stderr}${end}` };
}

function none(check: CheckName): TestedCheck {
  return { check, state: 'not_run', detail: 'the task has none' };
}

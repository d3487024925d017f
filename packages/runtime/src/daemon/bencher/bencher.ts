import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CheckOutcome } from '@ssebench/contracts/checks';
import { GradingArgument, PocArgument, type ScriptResult } from '@ssebench/contracts/daemon-api';
import type { BencherAction, CheckName } from '@ssebench/contracts/difficulty';
import type { Account } from '../../system/accounts.ts';
import { parseArgument } from '../arguments.ts';
import { Budget } from '../budget.ts';
import { DaemonError } from '../daemon-error.ts';
import type { EventLog } from '../events.ts';
import type { RunnerArea } from '../runner/runner-area.ts';
import type { CheckContext, ScriptRun, ScriptRunner } from '../runner/script-runner.ts';
import { Workspace } from '../runner/workspace.ts';
import { SerialQueue } from '../serial-queue.ts';
import type { StrictTree } from '../strict/strict-tree.ts';
import type { Task } from '../task.ts';
import { Builds } from './builds.ts';
import { stagePoc } from './poc-staging.ts';

interface BencherOptions {
  task: Task;
  /** The clean copy, which graded checks use in place of the agent's tree. */
  repo: string;
  agent: Account;
  area: RunnerArea;
  scripts: ScriptRunner;
  strictTree: StrictTree;
  events: EventLog;
}

/** What the events of a check say of it. */
interface CheckAnnounced {
  check: CheckName;
  poc: string | null;
  grading: boolean;
  strict?: true;
}

const CHECKS: Record<BencherAction, CheckName> = {
  build: 'build',
  run_poc: 'poc',
  function_test: 'function_test',
  intent_test: 'intent_test',
};

/** How many checks of the agent's leave events: the events are kept for the life of the container. */
const AGENT_CHECKS_ANNOUNCED = 5_000;

/**
 * The checks of a task. One runs at a time, in the order they came. Each graded one has a session of its own; the
 * agent's share one, which ends with the agent phase. Source: spec/runtime §3.6; design §5.
 */
export class Bencher {
  readonly #options: BencherOptions;
  readonly #builds: Builds;
  readonly #queue = new SerialQueue();
  readonly #agentEvents = new Budget(AGENT_CHECKS_ANNOUNCED);

  constructor(options: BencherOptions) {
    this.#options = options;
    this.#builds = new Builds(options.area);
  }

  /**
   * Runs an action. A script that ran and failed is a result, not an error.
   * @throws DaemonError for what kept it from running; the signal's reason when it is aborted
   */
  async run(action: BencherAction, body: unknown, signal: AbortSignal): Promise<ScriptResult> {
    const { grading, strict, poc: name, build } = argumentOf(action, body);
    const poc = action === 'run_poc' ? this.#pocOf(name) : null;
    const check: CheckContext = { grading, signal };
    const job = async () => {
      if (grading) await this.#prepareGraded(strict);
      switch (action) {
        case 'build':
          return await this.#build(check, strict);
        case 'run_poc':
          return await this.#runPoc(poc ?? '', build, check);
        case 'function_test':
          return await this.#test(null, check);
        case 'intent_test':
          return await this.#test(this.#hiddenTests(), check);
      }
    };
    const isAnnounced = grading || this.#agentEvents.take(1);
    const about: CheckAnnounced = { check: CHECKS[action], poc, grading, ...(strict ? { strict } : {}) };
    return await this.#queue.run(isAnnounced ? () => this.#announced(about, job) : job, signal);
  }

  /** Forgets all builds and starts a new session, when the checks that run or wait are over. */
  async reset(): Promise<void> {
    await this.#queue.run(async () => {
      await this.#builds.forget();
      await this.#options.area.renew();
    });
  }

  /** A graded check has a session of its own, and the tree that it is for. */
  async #prepareGraded(strict: boolean): Promise<void> {
    const { area, strictTree } = this.#options;
    await area.renew();
    if (strict) await strictTree.enter();
    else if (strictTree.entered) {
      throw new DaemonError('invalid_request', 'the graded tree is the strict one by now: only strict checks can run');
    }
  }

  async #build(check: CheckContext, strict: boolean): Promise<ScriptResult> {
    const script = required(this.#options.task.scripts.build, 'build script not configured');
    const workspace = await this.#workspace(check);
    try {
      const run = await this.#options.scripts.script([script], workspace.src, check);
      // No PoC runs in a strict build.
      return resultOf(run, strict ? null : await this.#builds.keep(workspace, check.grading));
    } finally {
      await workspace.remove();
    }
  }

  async #runPoc(poc: string, id: string | undefined, check: CheckContext): Promise<ScriptResult> {
    const { task, area, scripts } = this.#options;
    const script = required(task.scripts.run, 'run script not configured');
    const build = this.#builds.find(check.grading, id);
    if (!build) return NOT_BUILT;
    const staged = await stagePoc(task, script, poc, area);
    try {
      const workspace = await this.#builds.open(build, check.signal);
      try {
        return resultOf(await scripts.script([staged.script, staged.poc], workspace.src, check), build.id);
      } finally {
        await workspace.remove();
      }
    } finally {
      await staged.remove();
    }
  }

  async #test(hiddenTests: string | null, check: CheckContext): Promise<ScriptResult> {
    const { task, scripts } = this.#options;
    const script = required(task.scripts.test, 'test script not configured');
    const workspace = await this.#workspace(check);
    try {
      if (hiddenTests !== null) await this.#applyHiddenTests(hiddenTests, workspace, check);
      return resultOf(await scripts.script([script], workspace.src, check), null);
    } finally {
      await workspace.remove();
    }
  }

  async #workspace({ grading, signal }: CheckContext): Promise<Workspace> {
    const { area, repo, task, agent } = this.#options;
    // In a container that only grades, the copy is a link to the project's usual place.
    if (grading) return await Workspace.of(area, realpathSync(repo), { signal });
    return await Workspace.of(area, task.source, { readableBy: agent, signal });
  }

  /** Tests of the patch's own in files that the hidden tests change or add, too, would keep those from being applied. */
  async #applyHiddenTests(file: string, { src }: Workspace, check: CheckContext): Promise<void> {
    const { scripts, strictTree, area } = this.#options;
    const first = await scripts.applyDiff(file, src, check);
    if (first.applied) return;
    const makesWay = check.grading && (await strictTree.makeWayForHiddenTests(src, area.account));
    const { applied, output } = makesWay ? await scripts.applyDiff(file, src, check) : first;
    if (!applied) throw new DaemonError('hidden_tests_do_not_apply', `git apply failed, ${output}`);
  }

  #hiddenTests(): string {
    const { scripts, hiddenTests } = this.#options.task;
    const file = required(scripts.test && hiddenTests, 'intent_test not configured');
    if (!existsSync(file)) throw new DaemonError('not_configured', `${file} is not in this container`);
    return file;
  }

  /** The PoC that the task lists; relative paths are beneath the task's directory. */
  #pocOf(name: string | undefined): string {
    const { task } = this.#options;
    required(task.scripts.run, 'run script not configured');
    const path = resolve(task.dir, name ?? '');
    if (task.pocs.includes(path)) return path;
    if (!path.startsWith(`${task.dir}/`)) {
      throw new DaemonError('unknown_poc', `PoC outside the task directory: ${name}`);
    }
    throw new DaemonError('unknown_poc', `not a PoC of this task: ${name}`);
  }

  async #announced(about: CheckAnnounced, job: () => Promise<ScriptResult>): Promise<ScriptResult> {
    const start = performance.now();
    const ended = (outcome: CheckOutcome, log: string | null) => {
      const duration_ms = Math.round(performance.now() - start);
      this.#options.events.happened({ type: 'check_ended', ...about, outcome, duration_ms, log });
    };
    this.#options.events.happened({ type: 'check_started', ...about });
    try {
      const result = await job();
      ended(outcomeOf(result), result.log);
      return result;
    } catch (error) {
      ended('failed', null);
      throw error;
    }
  }
}

interface CheckArgument {
  grading: boolean;
  strict: boolean;
  poc?: string;
  build?: string | undefined;
}

function argumentOf(action: BencherAction, body: unknown): CheckArgument {
  if (action === 'run_poc') return { ...parseArgument(PocArgument, body), strict: false };
  const { grading, strict } = parseArgument(GradingArgument, body);
  return { grading: grading || strict, strict };
}

function required<T>(value: T | null | undefined | '', message: string): T {
  if (value) return value;
  throw new DaemonError('not_configured', message);
}

function resultOf({ result, log }: ScriptRun, build: string | null): ScriptResult {
  return {
    code: result.code ?? -1,
    stdout: result.stdout.toText(),
    stderr: result.stderr.toText(),
    outcome: result.timedOut ? 'timed_out' : result.code === null ? 'signalled' : 'exited',
    truncated: result.stdout.truncated || result.stderr.truncated,
    stdout_bytes: result.stdout.bytes,
    stderr_bytes: result.stderr.bytes,
    duration_ms: Math.round(result.durationMs),
    build,
    log,
  };
}

const NOT_BUILT: ScriptResult = {
  code: -1,
  stdout: '',
  stderr: 'The project has not been built: call build first.',
  outcome: 'not_run',
  truncated: false,
  stdout_bytes: 0,
  stderr_bytes: 0,
  duration_ms: 0,
  build: null,
  log: null,
};

function outcomeOf({ outcome, code }: ScriptResult): CheckOutcome {
  if (outcome === 'timed_out') return 'check_timeout';
  return code === 0 ? 'passed' : 'failed';
}

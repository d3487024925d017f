import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ownerLives, readOwner } from '@ssebench/bench/results/owner';
import { followEvents } from '@ssebench/bench/run/host-events';
import type { CheckName } from '@ssebench/contracts/difficulty';
import type { RunEvent } from '@ssebench/contracts/events';
import { LABEL } from '@ssebench/contracts/labels';
import type { Moment, OwnerFile } from '@ssebench/contracts/owner-file';
import type { Summary } from '@ssebench/contracts/summary';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { CHECKOUT, type CommandEnd, startSsebench } from './command.ts';
import { summaryIn, type Workspace } from './workspace.ts';

/** A task whose checks do what the files `do-build`, `do-poc`, `do-test` and `do-intent` of the tree say. */
export const PLIABLE_DATASET = join(CHECKOUT, 'tests/fixtures/datasets/pliable');

export type Role = 'work' | 'same' | 'grade';

/** The end of any wait of a test, in milliseconds. */
const LIMIT = 180_000;

/** What `look` finds, as soon as that is something. */
export async function found<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + LIMIT;
  for (;;) {
    const it = await look();
    if (it !== undefined) return it;
    if (performance.now() > deadline) throw new Error(`no ${what} within ${LIMIT / 1000} s`);
    await pause(5);
  }
}

const MODEL = 'claude-sonnet-4-6';

interface StartOptions {
  options?: readonly string[];
  env?: Record<string, string>;
}

/** The event of a graded check's begin. */
export function checkStarted(check: CheckName): (event: RunEvent) => boolean {
  return (event) => event.type === 'check_started' && event.check === check;
}

/** Rewrites when a run's work container was started. */
export async function editOwner(run: LiveRun, edit: (work: { started: Moment }) => Moment): Promise<void> {
  const owner = await run.owner();
  const work = owner.course?.work;
  if (!work || !owner.course) throw new Error('no course');
  const changed = { ...owner, course: { ...owner.course, work: { ...work, started: edit(work) } } };
  writeFileSync(join(run.directory, 'owner.json'), JSON.stringify(changed));
}

/** What killed commands leave of their short directories goes with the workspace. */
function ownersBelow({ path }: Workspace): Record<string, string> {
  return { XDG_RUNTIME_DIR: join(path, 'run') };
}

/** A real run that goes on, to be disturbed. */
export class LiveRun {
  readonly runId: string;
  readonly child: ChildProcess;
  readonly ended: Promise<CommandEnd>;
  /** The run's directory by its name. */
  readonly directory: string;
  readonly #engine: ContainerEngine;

  private constructor(
    runId: string,
    directory: string,
    engine: ContainerEngine,
    start: ReturnType<typeof startSsebench>,
  ) {
    this.runId = runId;
    this.child = start.child;
    this.ended = start.ended;
    this.#engine = engine;
    this.directory = directory;
  }

  /** `ssebench run` of an agent on the pliable task. */
  static start(workspace: Workspace, agent: string, options: StartOptions = {}): Promise<LiveRun> {
    return LiveRun.#begin(workspace, ['run', '--agent', agent, '--model', MODEL], join(MODEL, agent), options);
  }

  /** `ssebench grade` of a patch. */
  static async grade(workspace: Workspace, patch: string, options: StartOptions = {}): Promise<LiveRun> {
    const path = join(workspace.path, 'a.patch');
    writeFileSync(path, patch);
    return LiveRun.#begin(workspace, ['grade', '--patch', path], 'none/patch', options);
  }

  static async #begin(
    workspace: Workspace,
    args: readonly string[],
    below: string,
    { options = [], env = {} }: StartOptions,
  ): Promise<LiveRun> {
    const runId = `fault-${process.pid}-${randomBytes(4).toString('hex')}`;
    const all = [...args, '--local', PLIABLE_DATASET, '--task', 'pliable-c', '--run-id', runId, ...options];
    const engine = await connectEngine();
    const start = startSsebench(all, {
      cwd: workspace.path,
      env: { ...workspace.environment, ...ownersBelow(workspace), ...env },
    });
    return new LiveRun(runId, join(workspace.path, 'results/pliable-c', below, runId), engine, start);
  }

  /** Resolves when the run has its directory, and nothing in it yet but that. */
  async begun(): Promise<void> {
    await found('owner', () => readOwner(this.directory));
  }

  /** Resolves when another command has taken the run over. */
  async taken(): Promise<void> {
    const { socket } = await this.owner();
    await found('follower', async () => ((await ownerLives(socket)) ? true : undefined));
  }

  /** `owner.json`, once the run has come so far that another command could bring it to its end. */
  async owner(): Promise<OwnerFile> {
    const ended = this.ended.then(({ stdout, stderr }) => {
      if (!readOwner(this.directory)) throw new Error(`the run has ended:\n${stdout}\n${stderr}`);
      return new Promise<never>(() => undefined);
    });
    const owner = found('owner with a course', () => {
      const file = readOwner(this.directory);
      return file?.course ? file : undefined;
    });
    return Promise.race([owner, ended]);
  }

  /** The id of the run's running container of this role. */
  container(role: Role): Promise<string> {
    const labels = { [LABEL.runId]: this.runId, [LABEL.role]: role };
    return found(`${role} container`, async () => {
      const [container] = await this.#engine.listContainers(labels);
      return container?.state === 'running' ? container.id : undefined;
    });
  }

  /** Resolves when the container tells of an event that `isIt`; those before the call count. */
  async reached(role: Role, isIt: (event: RunEvent) => boolean): Promise<void> {
    const { directory } = await this.owner();
    const stop = new AbortController();
    const limit = AbortSignal.timeout(LIMIT);
    let seen = false;
    const socket = join(directory, role === 'grade' ? 'grade' : 'work', 'host.sock');
    await followEvents(
      socket,
      (event) => {
        if (!isIt(event)) return;
        seen = true;
        stop.abort();
      },
      AbortSignal.any([stop.signal, limit]),
    );
    if (!seen) throw new Error(`the ${role} container did not come so far`);
  }

  /** Resolves when the container has begun a step. */
  step(role: Role, step: Extract<RunEvent, { type: 'step_started' }>['step']): Promise<void> {
    return this.reached(role, (event) => event.type === 'step_started' && event.step === step);
  }

  /** Kills one of our programs in a container, from the host and as soon as it is there. */
  async killInside(role: Role, program: 'entrypoint' | 'daemon' | 'evaluator'): Promise<void> {
    await this.begun();
    const mounted = `/${basename(readlinkSync(this.directory))}/${role === 'grade' ? 'grade' : 'work'}`;
    process.kill(await found(program, () => processIn(mounted, program)), 'SIGKILL');
  }

  /** As `docker kill`, or as `docker rm -f`. */
  async disturb(role: Role, how: 'kill' | 'remove'): Promise<void> {
    const container = await this.container(role);
    if (how === 'kill') await this.#engine.kill(container, 'SIGKILL');
    else await this.#engine.remove(container, { force: true });
  }

  /** `kill -9` of the command. */
  async killCommand(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async summary(): Promise<Summary> {
    return summaryIn(this.directory);
  }

  /** The run's containers that are on the engine, by role. */
  async containers(): Promise<string[]> {
    const containers = await this.#engine.listContainers({ [LABEL.runId]: this.runId });
    return containers.map(({ labels }) => labels[LABEL.role] ?? '?');
  }

  /** Ends what a failed test may have left. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.killCommand();
    for (const { id } of await this.#engine.listContainers({ [LABEL.runId]: this.runId }))
      await this.#engine.remove(id, { force: true, volumes: true });
    this.#engine.close();
  }
}

/** The host's id of the process that runs one of our programs in the container with this directory mounted. */
function processIn(mounted: string, program: string): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0');
      if (words[2] !== program || !words[1]?.endsWith('runtime.cjs')) continue;
      if (readFileSync(`/proc/${name}/mountinfo`, 'latin1').includes(`${mounted} `)) return Number(name);
    } catch {
      // It ended meanwhile.
    }
  }
  return undefined;
}

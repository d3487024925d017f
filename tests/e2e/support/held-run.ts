import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LABEL } from '@ssebench/contracts/labels';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { type CommandEnd, startSsebench } from './command.ts';
import { readIfThere, type Workspace } from './workspace.ts';

/** Longest wait for anything of a run's, in milliseconds. */
const LIMIT = 120_000;

/** Script of an agent that waits in its phase until it is let go. */
export const WAITING = 'touch "$SSE_ARCHIVE/ready"; while [ ! -e "$SSE_ARCHIVE/go" ]; do sleep 0.1; done';

/** Users of a container, as an engine's `exec` names them. */
export const WHO = { model: '1000:1000', runner: 'sse-runner' } as const;
export type Who = keyof typeof WHO;

/** A run whose agent waits, with its container open to be looked around in; kept until this is disposed of. */
export class HeldRun implements AsyncDisposable {
  readonly runId: string;
  /** The run's directory on the host. */
  readonly directory: string;
  readonly #ended: Promise<CommandEnd>;
  readonly #engine: ContainerEngine;

  private constructor(runId: string, directory: string, ended: Promise<CommandEnd>, engine: ContainerEngine) {
    this.runId = runId;
    this.directory = directory;
    this.#ended = ended;
    this.#engine = engine;
  }

  /** Returns when the agent waits; it runs `WAITING`. `hostUser`: whose the run's directories on the host are then. */
  static async start(
    workspace: Workspace,
    task: string,
    agent: string,
    options: readonly string[],
    hostUser?: number,
  ): Promise<HeldRun> {
    const runId = `held-${randomBytes(4).toString('hex')}`;
    const which = [
      '--local',
      dirname(task),
      '--task',
      basename(task),
      '--agent',
      agent,
      '--model',
      'claude-sonnet-4-6',
    ];
    const { ended } = startSsebench(['run', ...which, '--run-id', runId, '--keep-container', ...options], {
      cwd: workspace.path,
      env: workspace.environment,
    });
    const directory = join(workspace.path, 'results', basename(task), 'claude-sonnet-4-6', agent, runId);
    const run = new HeldRun(runId, directory, ended, await connectEngine());
    await found(() => readIfThere(join(directory, 'archive/ready')));
    if (hostUser !== undefined) await run.#giveHostDirectories(hostUser);
    return run;
  }

  /** Runs a shell script in the agent's container. */
  async sh(who: Who | 'root', script: string, argument = ''): Promise<string> {
    const user = who === 'root' ? '0:0' : WHO[who];
    const argv = ['/bin/sh', '-c', script, 'sh', argument] as const;
    const { stdout, stderr } = await this.#engine.exec(await this.container(), { argv, user, workdir: '/tmp' });
    return `${stdout}${stderr}`;
  }

  /** Lets the agent go on, and returns when the run has ended. */
  async finish(): Promise<CommandEnd> {
    await writeFile(join(this.directory, 'archive/go'), '');
    return await this.#ended;
  }

  /** Id of the container of the agent, or the one that only grades. */
  async container(roles: readonly string[] = ['work', 'same']): Promise<string> {
    const containers = await this.#engine.listContainers({ [LABEL.runId]: this.runId });
    const container = containers.find(({ labels }) => roles.includes(labels[LABEL.role] ?? ''));
    if (!container) throw new Error(`${this.runId} has no container ${roles.join(' or ')}`);
    return container.id;
  }

  /** What is mounted from the host, by its place in the container. */
  async hostMounts(): Promise<string[]> {
    const info = await this.#engine.inspectContainer(await this.container());
    return (info?.mounts ?? []).filter(({ type }) => type === 'bind').map(({ target }) => target);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish();
    for (const { id } of await this.#engine.listContainers({ [LABEL.runId]: this.runId })) {
      await this.#engine.remove(id, { force: true, volumes: true });
    }
    this.#engine.close();
  }

  async #giveHostDirectories(uid: number): Promise<void> {
    const info = await this.#engine.inspectContainer(await this.container());
    for (const { type, source } of info?.mounts ?? []) if (type === 'bind') await chown(source, uid, uid);
  }
}

async function found<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + LIMIT; performance.now() < deadline; await pause(50)) {
    const it = await look();
    if (it !== undefined) return it;
  }
  throw new Error(`nothing within ${LIMIT / 1000} s`);
}

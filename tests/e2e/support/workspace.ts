import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { GatewayStatus } from '@ssebench/contracts/gateway-api';
import { Summary } from '@ssebench/contracts/summary';
import { CHECKOUT, type CommandEnd, ssebench } from './command.ts';

export const NOOP_DATASET = join(CHECKOUT, 'tests/fixtures/datasets/noop');

/** Files that an agent of a test adds to its image, by their path in the agent's folder. */
export interface TestAgent {
  dockerfile: string;
  /** It calls a model; most of the tests' agents don't. */
  usesModel?: boolean;
  files?: Record<string, string>;
}

/** The models of a workspace: those of this checkout unless there is a file. */
export interface TestModels {
  file?: string;
  /** Of the environment, such as keys. */
  variables?: Record<string, string>;
}

export interface FinishedRun {
  end: CommandEnd;
  directory: string;
  summary: Summary;
}

/** A directory in which runs are made and their results are left, with the bundled agents and the test's own; removed in the end. */
export class Workspace implements AsyncDisposable {
  readonly path: string;
  readonly #variables: Record<string, string>;

  private constructor(path: string, variables: Record<string, string>) {
    this.path = path;
    this.#variables = variables;
  }

  static async create(agents: Record<string, TestAgent> = {}, models: TestModels = {}): Promise<Workspace> {
    const path = await mkdtemp(join(tmpdir(), 'ssebench-e2e-'));
    for (const name of ['datasets', 'images', 'packages', 'node_modules', 'package.json', 'package-lock.json']) {
      await symlink(join(CHECKOUT, name), join(path, name));
    }
    if (models.file === undefined) await symlink(join(CHECKOUT, 'models'), join(path, 'models'));
    else await mkdir(join(path, 'models'));
    if (models.file !== undefined) await writeFile(join(path, 'models/test.yaml'), models.file);
    await mkdir(join(path, 'agents'));
    for (const name of await readdir(join(CHECKOUT, 'agents')))
      if (!(name in agents)) await symlink(join(CHECKOUT, 'agents', name), join(path, 'agents', name));
    for (const [name, agent] of Object.entries(agents)) await writeAgent(join(path, 'agents', name), name, agent);
    return new Workspace(path, models.variables ?? {});
  }

  /** Runs the command here. */
  run(...args: string[]): Promise<CommandEnd> {
    return ssebench(args, { cwd: this.path, env: this.environment });
  }

  /** Runs an agent on the task that does nothing, the fastest there is. */
  runOnNoop(agent: string, ...options: string[]): Promise<FinishedRun> {
    return this.runOn(join(NOOP_DATASET, 'noop-c'), agent, ...options);
  }

  /** Runs an agent on the task in this folder. */
  async runOn(task: string, agent: string, ...options: string[]): Promise<FinishedRun> {
    const model = agent === 'reference' ? [] : ['--model', 'claude-sonnet-4-6'];
    const which = ['--local', dirname(task), '--task', basename(task), '--agent', agent];
    const end = await this.run('run', ...which, ...model, ...options);
    const directory = runDirectory(end);
    return { end, directory, summary: await summaryIn(directory) };
  }

  get environment(): Record<string, string> {
    return {
      SSEBENCH_HOME: this.path,
      XDG_STATE_HOME: this.#state,
      ANTHROPIC_API_KEY: 'a-key-that-nobody-asks-for',
      ...this.#variables,
    };
  }

  /** The same place with other settings; it is disposed of with the first. */
  withVariables(variables: Record<string, string>): Workspace {
    return new Workspace(this.path, { ...this.#variables, ...variables });
  }

  /** Of the gateway that the runs here started. */
  async gatewayStatus(): Promise<GatewayStatus> {
    return GatewayStatus.parse(JSON.parse((await this.run('gateway', 'status', '--json')).stdout));
  }

  /** Files below this directory that hold a text, whatever else they hold. */
  async filesWith(text: string): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(this.path, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path);
    }
    return found;
  }

  get #state(): string {
    return join(this.path, 'state');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(this.#state)) await this.run('gateway', 'down', '--force');
    await rm(this.path, { recursive: true, force: true });
  }
}

async function writeAgent(dir: string, name: string, { dockerfile, files = {}, usesModel = false }: TestAgent) {
  const all = { ...files, Dockerfile: dockerfile, 'agent.yaml': `name: ${name}\nkeyless: ${!usesModel}\n` };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
    await chmod(join(dir, path), 0o755);
  }
}

/** An agent that is a POSIX shell script, executed as `model` in the source tree. */
export function scriptAgent(script: string): TestAgent {
  return {
    dockerfile: 'FROM ssebench-agent\nCOPY agent.sh /usr/local/bin/test-agent\nCMD ["/usr/local/bin/test-agent"]\n',
    files: { 'agent.sh': `#!/bin/sh\n${script}\n` },
  };
}

/** The run directory that the command's last line names. */
export function runDirectory({ stdout, stderr }: CommandEnd): string {
  const directory = /^Run directory: (.+)$/m.exec(stdout)?.[1];
  if (directory === undefined) throw new Error(`no run directory in:\n${stdout}\n${stderr}`);
  return directory;
}

/** `summary.json` of a run, checked against its schema. */
export async function summaryIn(directory: string): Promise<Summary> {
  return Summary.parse(JSON.parse(await readFile(join(directory, 'summary.json'), 'utf8')));
}

/** A file's text; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Difficulty } from '@ssebench/contracts/difficulty';
import { makeBaseline } from '../capture/baseline.ts';
import type { Account } from '../system/accounts.ts';
import { endProcessesOf } from '../system/processes.ts';
import type { DaemonConfig } from './config.ts';
import { type Daemon, startDaemon } from './daemon.ts';

/** Whether this process can act as other users, which a daemon must. */
export const IS_ROOT = process.getuid?.() === 0;

/** Ids that no other test process uses at the same time. */
const UID = 100_000 + (process.pid % 100_000) * 2;
const account = (name: string, uid: number): Account => ({ name, uid, gid: uid, home: '/', shell: '/bin/bash' });
export const AGENT = account('test-model', UID);
export const RUNNER = account('test-runner', UID + 1);

export interface Answer {
  status: number;
  /** The parsed body; undefined when it is not JSON. */
  json: unknown;
  bytes: Buffer;
}

/** Files by path; `mode` 0755 for those whose path ends in `.sh`. */
export type Files = Readonly<Record<string, string | Buffer>>;

export interface TestDaemonOptions {
  /** The project's files, in the agent's tree and in the clean copy. */
  source?: Files;
  /** Files beneath the task's directory, beside the config. */
  task?: Files;
  /** Lines of `config.yaml` below `source`. */
  config?: string;
  difficulty?: Difficulty;
  checkTimeoutMs?: number;
  /** The container that only grades: no agent-facing listener, this patch. */
  given?: string | Buffer;
  scriptEnv?: Record<string, string>;
  snapshotInterval?: number;
}

const CONFIG = `
scripts: {build: scripts/build.sh, run: scripts/run.sh, test: scripts/test.sh}
files: {patch: diffs/patch.diff, future_test: diffs/test.diff, poc: [pocs/poc.txt]}
task_description: {issue: It breaks., crash_report: [reports/report.txt]}
`;

const TASK: Files = {
  'scripts/build.sh': '#!/bin/sh\nset -e\ncp program.txt built.txt\n',
  'scripts/run.sh': '#!/bin/sh\n! grep -q "$(cat "$1")" built.txt\n',
  'scripts/test.sh': '#!/bin/sh\nset -e\n/bin/sh ./tests.sh\n',
  'diffs/patch.diff': 'the reference patch\n',
  'diffs/test.diff':
    '--- a/tests.sh\n+++ b/tests.sh\n@@ -1 +1,2 @@\n test -f program.txt\n+grep -q fixed program.txt\n',
  'pocs/poc.txt': 'bug',
  'reports/report.txt': 'a report\n',
};

const SOURCE: Files = { 'program.txt': 'bug\n', 'tests.sh': 'test -f program.txt\n', '.gitignore': 'ignored/\n' };

/** A daemon on a small task, with everything in one temporary directory. */
export class TestDaemon {
  readonly config: DaemonConfig;
  readonly #dir: string;
  #daemon: Daemon | undefined;

  private constructor(dir: string, config: DaemonConfig) {
    this.#dir = dir;
    this.config = config;
  }

  static async start(options: TestDaemonOptions = {}): Promise<TestDaemon> {
    const test = await TestDaemon.prepare(options);
    await test.start();
    return test;
  }

  /** The directory and the configuration of a daemon that is not started. */
  static async prepare(options: TestDaemonOptions = {}): Promise<TestDaemon> {
    const dir = mkdtempSync(join(tmpdir(), 'ssebench-daemon-test-'));
    chmodSync(dir, 0o755);
    const at = (name: string) => join(dir, name);
    for (const name of ['task', 'repo', 'results', 'archive', 'shared', 'run']) mkdirSync(at(name), { mode: 0o700 });
    chmodSync(at('shared'), 0o1777);
    chownSync(at('archive'), AGENT.uid, AGENT.gid);
    const source = options.source ?? SOURCE;
    writeFiles(at('repo'), source);
    cpSync(at('repo'), at('source'), { recursive: true, verbatimSymlinks: true });
    await makeBaseline(at('baseline.git'), at('source'));
    give(at('source'), AGENT);
    chmodSync(at('source'), 0o700);
    const config = `id: t-1\nproject: sample\nlanguage: c\nsource: ${at('source')}\n${options.config ?? CONFIG}`;
    writeFiles(at('task'), { ...TASK, ...options.task, 'config.yaml': config });
    if (options.given !== undefined) writeFileSync(at('results/final.patch'), options.given);
    const agentFacing = options.given === undefined;
    return new TestDaemon(dir, {
      taskDir: at('task'),
      repo: at('repo'),
      results: at('results'),
      archive: at('archive'),
      baseline: at('baseline.git'),
      difficulty: options.difficulty ?? 2,
      listeners: {
        adminSocket: at('run/admin.sock'),
        hostSocket: at('host.sock'),
        ...(agentFacing ? { agentSocket: at('agent.sock'), httpPort: 0 } : {}),
      },
      agent: AGENT,
      runner: RUNNER,
      runnerDir: at('runner'),
      scratchDir: at('scratch'),
      sharedDirs: [at('shared')],
      keptTree: at('kept'),
      searchRoot: dir,
      notSearched: [at('archive'), at('task'), at('runner'), at('scratch')],
      scriptEnv: { PATH: '/usr/bin:/bin', ...options.scriptEnv },
      checkTimeoutMs: options.checkTimeoutMs ?? 20_000,
      patchIsGiven: !agentFacing,
      snapshotInterval: options.snapshotInterval,
    });
  }

  async start(): Promise<void> {
    this.#daemon = await startDaemon(this.config);
  }

  get httpPort(): number {
    return this.#daemon?.httpPort ?? 0;
  }

  /** A path in the test's directory. */
  path(name: string): string {
    return join(this.#dir, name);
  }

  results(): string[] {
    return readdirSync(this.config.results).sort();
  }

  agent(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return call({ socketPath: this.config.listeners.agentSocket }, path, body, headers);
  }

  admin(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return call({ socketPath: this.config.listeners.adminSocket }, path, body, headers);
  }

  host(path: string, body?: unknown): Promise<Answer> {
    return call({ socketPath: this.config.listeners.hostSocket }, path, body);
  }

  http(path: string, body?: unknown, host = '127.0.0.1'): Promise<Answer> {
    return call({ host, port: this.httpPort }, path, body);
  }

  bencher(action: string, body: object = {}): Promise<Answer> {
    return this.agent(`/tool/bencher?action=${action}`, body);
  }

  graded(action: string, body: object = {}): Promise<Answer> {
    return this.admin(`/tool/bencher?action=${action}`, { ...body, grading: true });
  }

  bash(command: string, more: object = {}): Promise<Answer> {
    return this.agent('/tool/bash?action=execute', { command, ...more });
  }

  async stop(): Promise<void> {
    await this.#daemon?.stop();
    this.#daemon = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await endProcessesOf([AGENT.uid, RUNNER.uid]);
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** One call: POST when there is a body, which is sent as it is when it is text. */
function call(to: object, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(
    {
      ...to,
      path,
      method: body === undefined ? 'GET' : 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    },
    async (response) => {
      try {
        const bytes = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode ?? 0, json: jsonOf(bytes), bytes });
      } catch (error) {
        reject(error);
      }
    },
  );
  sent.once('error', reject);
  sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  return promise;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function writeFiles(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, name.endsWith('.sh') ? 0o755 : 0o644);
  }
}

function give(dir: string, { uid, gid }: Account): void {
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) chownSync(join(dir, name), uid, gid);
  chownSync(dir, uid, gid);
}

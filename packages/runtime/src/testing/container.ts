import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Call, Script } from '@ssebench/sdk/testing/scripted-daemon';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import type { Start } from './program.ts';

/** Bundled like the real one: three processes of a run load it. */
const PROGRAM = bundled(fileURLToPath(new URL('./program.ts', import.meta.url)));

async function bundled(source: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'program-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const outfile = join(directory, 'program.cjs');
  chmodSync(directory, 0o755);
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', target: 'node24', format: 'cjs' });
  return outfile;
}

/**
 * The entrypoint ends every process of the agent's user, so as root it gets processes of its own to look at, like in a
 * container, and sees nobody else's.
 */
const OWN_PROCESSES =
  process.getuid?.() === 0 ? ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--'] : [];

/** A task with a build and a test, whose agent changed something, and all of which goes well. */
const GOOD: Script = {
  'GET /project': {
    body: {
      id: 'x',
      project: 'x',
      language: 'c',
      source: '/nowhere',
      task_description: { issue: null, crash_report: null, bug_description: 'x' },
      poc: [],
      build_script: null,
      test_script: null,
    },
  },
  'GET /capabilities': {
    body: { can_build: true, can_run_poc: false, poc_count: 0, has_function_test: true, has_intent_test: false },
  },
  'POST /admin/agent_exited': { body: { success: true } },
  'POST /admin/capture': { body: { patch_bytes: 3, patch_sha256: 'a'.repeat(64), skipped: [] } },
  'POST /prepare_grading': { body: { success: true } },
  'POST /tool/bencher?action=build': { body: { code: 0, stdout: '', stderr: '' } },
  'POST /tool/bencher?action=function_test': { body: { code: 0, stdout: '', stderr: '' } },
};

/** The entrypoint as a container would start it, in directories of its own, with a scripted daemon. */
export class FakeContainer {
  readonly directory = mkdtempSync(join(tmpdir(), 'run-'));
  readonly results = join(this.directory, 'host', 'results');
  readonly archive = join(this.directory, 'archive');
  readonly source = join(this.directory, 'source');
  log = '';
  #child: ChildProcess | undefined;

  constructor() {
    for (const made of [this.results, this.archive, this.source]) mkdirSync(made, { recursive: true });
    chmodSync(this.directory, 0o755);
    writeFileSync(join(this.source, 'main.c'), 'int main;\n');
  }

  /** Starts the entrypoint; resolves with its exit status. `args`: all after `entrypoint`; `start`: how its daemon does. */
  async run(
    args: readonly string[],
    script: Script = {},
    env: Record<string, string> = {},
    start: Start = 'well',
  ): Promise<number | null> {
    const project = { body: { ...(GOOD['GET /project'] as { body: object }).body, source: this.source } };
    writeFileSync(
      join(this.results, 'script.json'),
      JSON.stringify({ start, script: { ...GOOD, 'GET /project': project, ...script } }),
    );
    const [file, ...rest] = [...OWN_PROCESSES, process.execPath, await PROGRAM, 'entrypoint', ...args] as [
      string,
      ...string[],
    ];
    const child = spawn(file, rest, {
      cwd: this.directory,
      env: {
        SSE_RESULTS: this.results,
        SSE_ARCHIVE: this.archive,
        SSE_ADMIN_SOCKET: join(this.directory, 'run', 'admin.sock'),
        SSE_DAEMON_SOCKET: join(this.directory, 'agent.sock'),
        SSE_MCP_PORT: String(await freePort()),
        SSE_MCP_SOCKET: join(this.directory, 'mcp', 'mcp.sock'),
        MCP_LOG_DIR: join(this.directory, 'mcp-logs'),
        SSE_AGENT_ENV: '{"PATH":"/usr/bin:/bin","OF_IMAGE":"1"}',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const [[status], log] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
    this.log = log;
    return status;
  }

  /** Signals the entrypoint, as an engine that stops the container does. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.#entrypoint, signal);
  }

  /** Kills the evaluator, as the kernel does at the memory limit. */
  killEvaluator(): void {
    const evaluator = childrenOf(this.#entrypoint).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('evaluator'),
    );
    if (evaluator === undefined) throw new Error('no evaluator runs');
    process.kill(evaluator, 'SIGKILL');
  }

  get #entrypoint(): number {
    const started = this.#child?.pid ?? 0;
    const pid = OWN_PROCESSES.length > 0 ? childrenOf(started)[0] : started;
    if (!pid) throw new Error('the entrypoint does not run');
    return pid;
  }

  /** A file of the results directory, as JSON; undefined when it is not there. */
  json<T = Record<string, unknown>>(name: string): T | undefined {
    const path = join(this.results, name);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  }

  text(name: string): string {
    return readFileSync(join(this.results, name), 'utf8');
  }

  get calls(): Call[] {
    return this.text('calls.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  /** What the daemon was asked, in order, without events. */
  get routes(): string[] {
    return this.calls.map(({ route }) => route).filter((route) => route !== 'POST /admin/events');
  }

  /** What was published, in order: type and, where it has one, step or fault code. */
  get events(): string[] {
    const bodies = this.calls
      .filter(({ route }) => route === 'POST /admin/events')
      .map(({ body }) => body as Record<string, unknown>);
    return bodies.map(({ type, step, fault }) =>
      [type, step ?? (fault as { code?: string })?.code].filter(Boolean).join(' '),
    );
  }

  remove(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.directory, { recursive: true });
  }
}

/** One that nobody listens on at this moment. */
async function freePort(): Promise<number> {
  await using server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { peakMemory } from './process-memory.ts';

const VERSION = '1.108.0';
const START_LIMIT = 60_000;
const KEY = 'sk-bench';

/** LiteLLM's proxy as it comes: one worker, a master key, no database. */
export class LiteLlm implements AsyncDisposable {
  readonly port: number;
  readonly key = KEY;
  readonly startMs: number;
  readonly #child: ChildProcess;

  /** From a cache of this clone, filled from PyPI. Undefined where it does not install. @param apiBase of the provider */
  static async start(cache: string, place: string, apiBase: string): Promise<LiteLlm | undefined> {
    const program = installed(cache);
    if (program === undefined) return undefined;
    const config = join(place, 'litellm.json');
    const params = { model: 'openai/stub-1', api_key: 'sk-provider', api_base: apiBase };
    writeFileSync(config, JSON.stringify({ model_list: [{ model_name: 'small', litellm_params: params }] }));
    const port = await freePort();
    const startedAt = performance.now();
    const child = spawn(program, ['--config', config, '--port', String(port), '--host', '127.0.0.1'], {
      cwd: place,
      env: { PATH: process.env['PATH'], HOME: place, LITELLM_MASTER_KEY: KEY, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
      stdio: 'ignore',
    });
    while (!(await answers(port))) {
      if (child.exitCode !== null || performance.now() - startedAt > START_LIMIT) {
        child.kill('SIGKILL');
        return undefined;
      }
      await delay(50);
    }
    return new LiteLlm(child, port, performance.now() - startedAt);
  }

  private constructor(child: ChildProcess, port: number, startMs: number) {
    this.#child = child;
    this.port = port;
    this.startMs = Math.round(startMs);
  }

  get memoryMb(): number {
    return peakMemory(this.#child.pid ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

function installed(cache: string): string | undefined {
  const place = join(cache, `litellm-${VERSION}`);
  const program = join(place, 'bin/litellm');
  if (existsSync(program)) return program;
  try {
    execFileSync('python3', ['-m', 'venv', place], { stdio: 'ignore' });
    execFileSync(join(place, 'bin/pip'), ['install', '-q', `litellm[proxy]==${VERSION}`], { stdio: 'ignore' });
    return program;
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/liveliness`)).ok;
  } catch {
    return false;
  }
}

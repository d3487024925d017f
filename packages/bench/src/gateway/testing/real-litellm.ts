import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const VERSION = '1.108.0';
const CACHE = join(import.meta.dirname, '../../../../../.cache');
const INSTALL_LIMIT = 15 * 60_000;
const START_LIMIT = 90_000;
const LOOK_INTERVAL = 100;

const run = promisify(execFile);

/** LiteLLM's proxy from PyPI, one worker. It keeps keys only with a PostgreSQL database, which it has none of here. */
export class RealLiteLlm implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param config its configuration, YAML @param dir for it and for its log @throws Error with the end of its log */
  static async start(config: string, masterKey: string, dir: string): Promise<RealLiteLlm> {
    const program = await installed();
    const path = join(dir, 'litellm-config.yaml');
    writeFileSync(path, config);
    const port = await freePort();
    const log = join(dir, 'litellm.log');
    const out = openSync(log, 'w');
    // Its price list comes with it; it would fetch a newer one.
    const env = {
      PATH: process.env['PATH'],
      HOME: dir,
      LITELLM_MASTER_KEY: masterKey,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    };
    const args = ['--config', path, '--host', '127.0.0.1', '--port', String(port)];
    const child = spawn(program, args, { cwd: dir, env, stdio: ['ignore', out, out] });
    const litellm = new RealLiteLlm(child, `http://127.0.0.1:${port}`);
    const last = performance.now() + START_LIMIT;
    while (!(await answers(`${litellm.url}/health/liveliness`))) {
      if (child.exitCode !== null || performance.now() > last) {
        child.kill('SIGKILL');
        throw new Error(`LiteLLM did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
      }
      await delay(LOOK_INTERVAL);
    }
    return litellm;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** Its program, installed into a cache of this checkout when it is not there. */
async function installed(): Promise<string> {
  const place = join(CACHE, `litellm-${VERSION}`);
  const mark = join(place, 'installed');
  if (!existsSync(mark)) {
    mkdirSync(CACHE, { recursive: true });
    await run('python3', ['-m', 'venv', place], { timeout: INSTALL_LIMIT });
    const args = ['install', '--quiet', '--disable-pip-version-check', `litellm[proxy]==${VERSION}`];
    await run(join(place, 'bin/pip'), args, { timeout: INSTALL_LIMIT });
    writeFileSync(mark, '');
  }
  return join(place, 'bin/litellm');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { printable } from '../printable.ts';
import { BASE_URL, MASTER_KEY, stackListens, stackUrl } from './litellm-settings.ts';
import { GatewayError } from './model-gateway.ts';

const MINUTE = 60_000;
const BUILD_LIMIT = 45 * MINUTE;
const DOWN_LIMIT = 3 * MINUTE;
/** From the start of the containers until LiteLLM is healthy. Seconds. */
const HEALTH_LIMIT = 180;
/** A healthy LiteLLM answers at its port of this machine, too. Milliseconds. */
const PORT_LIMIT = 15_000;
const LOOK_INTERVAL = 250;
const LOG_LINES = 40;
/** Of Docker Compose: `env_file` with `path` and `required`. */
const LEAST_COMPOSE = [2, 24] as const;

/** What a setting may be, and how that is said. */
interface Form {
  pattern: RegExp;
  words: string;
}

const PROJECT: Form = { pattern: /^[a-z0-9][a-z0-9_-]*$/, words: 'lower-case letters, digits, - and _' };
const KEY: Form = { pattern: /^sk-[\x21-\x7e]+$/, words: 'sk- and more, without blanks' };
const NAME: Form = { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, words: 'letters, digits and _' };
/** It stands in an address. */
const PASSWORD: Form = { pattern: /^[A-Za-z0-9]+$/, words: 'letters and digits alone' };

const OR_ELSE = `or set ${BASE_URL} to a LiteLLM that runs`;

export interface StackPlace {
  /** Holds `deploy/litellm`. */
  home: string;
  workspace: string;
  envFile: string;
}

/** LiteLLM and its database in containers, by Docker Compose. What `docker` prints goes to standard error. */
export class LiteLlmStack {
  readonly #place: StackPlace;
  readonly #settings: Settings;
  readonly #env: NodeJS.ProcessEnv;
  readonly #project: string;
  readonly #secrets: Readonly<Record<'LITELLM_MASTER_KEY' | 'POSTGRES_USER' | 'POSTGRES_PASSWORD', string>>;

  /** @param settings read after the secrets were made @throws GatewayError for one that can't be */
  constructor(place: StackPlace, settings: Settings, env: NodeJS.ProcessEnv = process.env) {
    this.#place = place;
    this.#settings = settings;
    this.#env = env;
    this.#project = checked(settings, 'COMPOSE_PROJECT_NAME', 'ssebench', PROJECT);
    this.#secrets = {
      LITELLM_MASTER_KEY: checked(settings, MASTER_KEY, 'sk-unset', KEY),
      POSTGRES_USER: checked(settings, 'POSTGRES_USER', 'litellm', NAME),
      POSTGRES_PASSWORD: checked(settings, 'POSTGRES_PASSWORD', 'unset', PASSWORD),
    };
  }

  /** @param config LiteLLM's @param fresh from nothing that was built or pulled before @throws GatewayError */
  async build(config: string, fresh: boolean): Promise<void> {
    const { home } = this.#place;
    const context = this.#context();
    mkdirSync(context, { recursive: true });
    copyFileSync(join(home, 'deploy/litellm/Dockerfile'), join(context, 'Dockerfile'));
    writeFileSync(join(context, 'litellm-config.yaml'), config);
    await this.#needCompose();
    const status = await this.#compose(['build', ...(fresh ? ['--no-cache', '--pull'] : []), 'litellm'], BUILD_LIMIT);
    if (status !== 0)
      throw new GatewayError(
        `the image of LiteLLM could not be built: docker compose build ended with status ${status}`,
      );
  }

  /** Starts what does not run, anew what was built or set anew. @returns the address, at which it answers @throws GatewayError */
  async start(): Promise<string> {
    const wait = ['--wait', '--wait-timeout', String(HEALTH_LIMIT)];
    const status = await this.#compose(['up', '--detach', ...wait], HEALTH_LIMIT * 1000 + 10 * MINUTE);
    const url = stackUrl(this.#settings);
    if (status === 0 && (await answers(`${url}/health/liveliness`))) return url;
    const [log] = await this.#ask(this.#argv(['logs', '--no-color', '--tail', String(LOG_LINES)]));
    const { LITELLM_MASTER_KEY, POSTGRES_PASSWORD } = this.#secrets;
    process.stderr.write(printable([LITELLM_MASTER_KEY, POSTGRES_PASSWORD].reduce(redacted, log)));
    if (/password authentication failed|\bP1000\b/.test(log))
      throw new GatewayError(
        'LiteLLM did not start: its database was made with another POSTGRES_PASSWORD; set that one, or remove the database, its keys and its spend with "ssebench proxy down --volumes", or set another COMPOSE_PROJECT_NAME',
      );
    const why = status === 0 ? `it does not answer at ${url}` : `docker compose up ended with status ${status}`;
    throw new GatewayError(`LiteLLM did not start: ${why}; the end of its log is above`);
  }

  /** @param volumes the database with it @throws GatewayError */
  async stop(volumes: boolean): Promise<void> {
    await this.#needCompose();
    const status = await this.#compose(['down', ...(volumes ? ['--volumes'] : [])], DOWN_LIMIT);
    if (status !== 0) throw new GatewayError(`docker compose down ended with status ${status}`);
  }

  #context(): string {
    return join(this.#place.workspace, '.cache/litellm');
  }

  async #needCompose(): Promise<void> {
    const [version, status] = await this.#ask(['compose', 'version', '--short']);
    const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
    const [leastMajor, leastMinor] = LEAST_COMPOSE;
    if (status !== 0)
      throw new GatewayError(
        `docker has no Compose plugin: install it (https://docs.docker.com/compose/install/linux/), ${OR_ELSE}`,
      );
    if (major < leastMajor || (major === leastMajor && minor < leastMinor))
      throw new GatewayError(
        `Docker Compose ${version.trim()} is too old: ${LEAST_COMPOSE.join('.')} or later is needed, ${OR_ELSE}`,
      );
  }

  /** What docker prints, and its exit status. */
  async #ask(args: readonly string[]): Promise<[printed: string, status: number]> {
    const child = spawn('docker', args, { ...this.#options(MINUTE), stdio: ['ignore', 'pipe', 'ignore'] });
    return Promise.all([text(child.stdout), ended(child)]);
  }

  /** Its exit status; what it prints is for the person. */
  #compose(args: readonly string[], limit: number): Promise<number> {
    return ended(spawn('docker', this.#argv(args), { ...this.#options(limit), stdio: ['ignore', 2, 2] }));
  }

  #argv(args: readonly string[]): string[] {
    const file = join(this.#place.home, 'deploy/litellm/compose.yaml');
    return ['compose', '--project-name', this.#project, '--file', file, ...args];
  }

  /** Secrets are in the environment of `docker`, not in its arguments. */
  #options(limit: number) {
    const { envFile, home } = this.#place;
    const { bind, port } = stackListens(this.#settings);
    const env = {
      ...this.#env,
      COMPOSE_PROJECT_NAME: this.#project,
      SSEBENCH_LITELLM_CONTEXT: this.#context(),
      SSEBENCH_ENV_FILE: envFile,
      LITELLM_BIND: bind,
      LITELLM_PORT: String(port),
      ...this.#secrets,
    };
    return { cwd: home, env, signal: AbortSignal.timeout(limit) };
  }
}

/** @param fallback of a command that needs no value, such as `down` @throws GatewayError, without the value */
function checked(settings: Settings, name: string, fallback: string, form: Form): string {
  const value = settings.get(name) ?? fallback;
  if (!form.pattern.test(value)) throw new GatewayError(`${name} must be ${form.words}`);
  return value;
}

/** @throws GatewayError when it did not start, or not end in time */
async function ended(child: ChildProcess): Promise<number> {
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    return status ?? 1;
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(error: unknown): GatewayError {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return new GatewayError(
      `docker is not installed: "ssebench proxy" needs it with Docker Compose (https://docs.docker.com/engine/install/), ${OR_ELSE}`,
    );
  return new GatewayError(name === 'AbortError' ? 'docker did not end in time' : `docker: ${message}`, {
    cause: error,
  });
}

const redacted = (text: string, secret: string) => text.replaceAll(secret, '[redacted]');

async function answers(url: string): Promise<boolean> {
  const last = performance.now() + PORT_LIMIT;
  while (performance.now() < last) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(PORT_LIMIT) });
      await answer.body?.cancel();
      if (answer.ok) return true;
    } catch {
      // Its port may not be open yet: asked again below.
    }
    await delay(LOOK_INTERVAL);
  }
  return false;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EngineError } from '../errors.ts';
import type { RegistryAuth } from '../image.ts';

/** A helper may ask the user's keyring, which may ask the user. */
const HELPER_LIMIT_MS = 60_000;
/** The name that Docker's own registry has in its client's files. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

interface ClientConfig {
  auths?: Record<string, { auth?: string; identitytoken?: string }>;
  credsStore?: string;
  credHelpers?: Record<string, string>;
}

/**
 * What `docker login` left for the registry of an image: in its client's file, or with the credential helper that this names.
 * Source: docker/docker-credential-helpers, README; docker/cli, docs of `docker login`.
 * @returns undefined when there is nothing for it
 * @throws EngineError `refused` when the file or the helper can't be used; what they hold is in no message
 */
export async function registryAuth(
  ref: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RegistryAuth | undefined> {
  const path = join(env['DOCKER_CONFIG'] || join(env['HOME'] || homedir(), '.docker'), 'config.json');
  const config = readConfig(path);
  const server = serverOf(ref);
  const helper = config.credHelpers?.[server] ?? config.credsStore;
  const fromHelper = helper ? await askHelper(helper, server, env) : undefined;
  if (fromHelper) return fromHelper;
  const entry = Object.entries(config.auths ?? {}).find(([key]) => hostOf(key) === hostOf(server))?.[1];
  if (entry?.identitytoken) return { identityToken: entry.identitytoken };
  const pair = Buffer.from(entry?.auth ?? '', 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon > 0 ? { username: pair.slice(0, colon), password: pair.slice(colon + 1) } : undefined;
}

/** The registry that an image name begins with, as Docker's client calls it. */
function serverOf(ref: string): string {
  const [first = '', ...rest] = ref.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return !isHost || hostOf(first) === 'docker.io' ? DOCKER_HUB : first;
}

function hostOf(key: string): string {
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  return host === 'index.docker.io' ? 'docker.io' : host;
}

function readConfig(path: string): ClientConfig {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw unusable(path, `can't be read: ${code}`, cause);
  }
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The parser's message quotes what stands there.
  }
  throw unusable(path, 'is no JSON');
}

/** Asks `docker-credential-<name>` for a server's credentials by its protocol. */
async function askHelper(name: string, server: string, env: NodeJS.ProcessEnv): Promise<RegistryAuth | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) throw unusable(program, 'is no name of a credential helper');
  const child = spawn(program, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'], timeout: HELPER_LIMIT_MS });
  // One that doesn't read what it is asked says why in its own way.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(server);
  let output: string;
  let status: number | null;
  try {
    const ended = once(child, 'close');
    [output, [status]] = (await Promise.all([text(child.stdout), ended])) as [string, [number | null]];
  } catch (cause) {
    throw unusable(program, `can't be run: ${(cause as NodeJS.ErrnoException).code}`, cause);
  }
  if (status !== 0 && /credentials not found/i.test(output)) return undefined;
  if (status !== 0) throw unusable(program, `ended with status ${status ?? 'none: it took too long'}`);
  return credentialsIn(output, program);
}

function credentialsIn(output: string, program: string): RegistryAuth {
  try {
    const { Username: username, Secret: secret } = JSON.parse(output) as { Username?: unknown; Secret?: unknown };
    if (typeof username === 'string' && typeof secret === 'string')
      return username === '<token>' ? { identityToken: secret } : { username, password: secret };
  } catch {
    // As above: what it printed may be a secret.
  }
  throw unusable(program, 'did not answer as credential helpers do');
}

function unusable(subject: string, problem: string, cause?: unknown): EngineError {
  return new EngineError('refused', { operation: 'find credentials', detail: `${subject}: ${problem}`, cause });
}

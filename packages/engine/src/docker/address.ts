import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../errors.ts';

/** Where an engine listens. `display` is how people write it. */
export type EngineAddress =
  | { display: string; socketPath: string }
  | { display: string; host: string; port: number; tls: TlsFiles | undefined };

interface TlsFiles {
  ca: Buffer;
  cert: Buffer;
  key: Buffer;
}

/**
 * Finds the engine: `DOCKER_HOST` (with `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH`), else the first socket that we may
 * open of Docker's and Podman's usual ones, else Docker's, so that the error names it.
 * @throws EngineError `refused` for an address that can't be used
 */
export function findEngine(env: NodeJS.ProcessEnv): EngineAddress {
  const named = env['DOCKER_HOST'];
  if (named) return parseEngineAddress(named, env);
  const sockets = usualSockets(env);
  const socketPath = sockets.find(mayOpen) ?? sockets.find((path) => existsSync(path)) ?? '/var/run/docker.sock';
  return { display: `unix://${socketPath}`, socketPath };
}

function usualSockets(env: NodeJS.ProcessEnv): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  return [
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    ...(runtime ? [join(runtime, 'docker.sock'), join(runtime, 'podman/podman.sock')] : []),
    '/run/podman/podman.sock',
  ];
}

function mayOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Reads `unix:///path`, `tcp://host:port`, `http://…` or `https://…`. @throws EngineError `refused` */
export function parseEngineAddress(text: string, env: NodeJS.ProcessEnv): EngineAddress {
  if (text.startsWith('unix://') && text.length > 'unix://'.length) {
    return { display: text, socketPath: text.slice('unix://'.length) };
  }
  const url = URL.parse(text.includes('://') ? text : `tcp://${text}`);
  if (!url?.hostname || !['tcp:', 'http:', 'https:'].includes(url.protocol)) {
    throw new EngineError('refused', {
      operation: 'connect',
      detail:
        `DOCKER_HOST is "${text}"; allowed: unix:///path, tcp://host:port` +
        (text.startsWith('ssh:')
          ? ` (for ssh forward the socket: ssh -nNT -L /tmp/engine.sock:/var/run/docker.sock ${url?.host})`
          : ''),
    });
  }
  const secure = url.protocol === 'https:' || Boolean(env['DOCKER_TLS_VERIFY']) || url.port === '2376';
  return {
    display: text,
    host: url.hostname,
    port: Number(url.port || (secure ? 2376 : 2375)),
    tls: secure ? readTlsFiles(env['DOCKER_CERT_PATH'] ?? join(homedir(), '.docker')) : undefined,
  };
}

function readTlsFiles(directory: string): TlsFiles {
  const read = (name: string) => {
    try {
      return readFileSync(join(directory, name));
    } catch (cause) {
      throw new EngineError('refused', {
        operation: 'connect',
        detail: `${join(directory, name)} can't be read; DOCKER_CERT_PATH must hold ca.pem, cert.pem and key.pem`,
        cause,
      });
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

import { EngineError } from '../errors.ts';
import type { ContainerEngine, EngineAbilities, EngineVersion } from '../port.ts';
import type { EngineCalls } from './abilities.ts';
import { findEngine, parseEngineAddress } from './address.ts';
import { archiveCalls } from './archives.ts';
import { containerCalls } from './containers.ts';
import { eventCalls } from './events.ts';
import { execCalls } from './exec.ts';
import { imageCalls } from './images.ts';
import { LIMIT } from './limits.ts';
import { networkCalls } from './networks.ts';
import { systemCalls } from './system.ts';
import { Transport } from './transport.ts';
import { volumeCalls } from './volumes.ts';

/** What we need first came with Docker 20.10; what came after the newest that we know may have another shape. */
const OLDEST_API = '1.41';
const NEWEST_API = '1.47';

export interface ConnectOptions {
  /** As in `DOCKER_HOST`, which it replaces. */
  address?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

interface WireVersion {
  Version: string;
  ApiVersion: string;
  MinAPIVersion?: string;
  Components?: { Name: string; Version: string }[] | null;
}

/**
 * Connects to the engine that the environment names (`DOCKER_HOST`), else to Docker's or Podman's socket.
 * @throws EngineError `unreachable` with the address and what to do | `refused` when it is too old
 */
export async function connectEngine(options: ConnectOptions = {}): Promise<ContainerEngine> {
  const env = options.env ?? process.env;
  const address = options.address === undefined ? findEngine(env) : parseEngineAddress(options.address, env);
  const version = await negotiate(new Transport(address, undefined), options.signal);
  const transport = new Transport(address, version.apiVersion);
  const calls: EngineCalls = {
    ...systemCalls(transport, version),
    ...imageCalls(transport),
    ...containerCalls(transport, version),
    ...execCalls(transport),
    ...archiveCalls(transport),
    ...volumeCalls(transport),
    ...networkCalls(transport),
    ...eventCalls(transport),
    // Most commands build nothing, and what it takes is half of what there is to load.
    build: async (request) => (await import('./build.ts')).build(transport, version, request),
  };
  let abilities: Promise<EngineAbilities> | undefined;
  return {
    ...calls,
    async abilities(request = {}) {
      abilities ??= import('./abilities.ts').then(({ probe }) => probe(transport, version, calls, request));
      try {
        return await abilities;
      } catch (error) {
        // An engine that didn't answer has said nothing about what it can do.
        abilities = undefined;
        throw error;
      }
    },
  };
}

async function negotiate(transport: Transport, signal: AbortSignal | undefined): Promise<EngineVersion> {
  const call = { operation: 'connect to the container engine', method: 'GET', path: '/version' } as const;
  try {
    const answer = await transport.json<WireVersion>(call, { signal }, LIMIT.connect);
    return readVersion(answer, call.operation, transport.address);
  } finally {
    transport.close();
  }
}

function readVersion(answer: WireVersion, operation: string, address: string): EngineVersion {
  const podman = answer.Components?.find(({ Name }) => Name === 'Podman Engine');
  const version = podman?.Version ?? answer.Version;
  const apiVersion = older(answer.ApiVersion, NEWEST_API);
  const found = `${podman ? 'Podman' : 'Docker'} ${version} at ${address} speaks API ${answer.ApiVersion}`;
  if (older(apiVersion, OLDEST_API) !== OLDEST_API) {
    throw new EngineError('refused', { operation, detail: `${found}; needed: ${OLDEST_API} (Docker 20.10) or later` });
  }
  if (older(answer.MinAPIVersion ?? OLDEST_API, NEWEST_API) === NEWEST_API && answer.MinAPIVersion !== NEWEST_API) {
    const detail = `${found}, and ${answer.MinAPIVersion} at least; the newest that we know is ${NEWEST_API}`;
    throw new EngineError('refused', { operation, detail });
  }
  return { product: podman ? 'podman' : 'docker', version, apiVersion };
}

/** The older of two API versions: `1.9` before `1.41`. */
function older(a: string, b: string): string {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA < majorB || (majorA === majorB && minorA < minorB) ? a : b;
}

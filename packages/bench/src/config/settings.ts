import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { UserError } from '../cli/errors.ts';
import { extraCaPath } from './extra-ca-path.ts';
import { showPath } from './show-path.ts';

/** The prefix of images that we build ourselves; an image under another prefix is pulled. */
export const OWN_REGISTRY = 'localhost/ssebench';
const REGISTRY = /^[a-z0-9]+(?:[.-][a-z0-9]+)*(?::[0-9]+)?(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/;

/** Where a setting's value came from. */
export type SettingSource = 'environment' | '.env';

/** Settings of the process's environment, then of `.env`. Values are trimmed; an empty one counts as unset. */
export interface Settings {
  get(name: string): string | undefined;
  sourceOf(name: string): SettingSource | undefined;
  /** `SSEBENCH_REGISTRY`: prefix of all image names, without a final slash. */
  registry: string;
  /** `SSEBENCH_EXTRA_CA`: absolute path of a PEM file, or `none`; undefined when unset. A relative one is relative to the workspace. */
  extraCa: string | undefined;
  /** `SSEBENCH_HOST_MOUNTS`: `off` for an engine that shares nothing with this machine although a probe may say so. */
  hostMounts: HostMounts;
}

const HOST_MOUNTS = ['auto', 'off'] as const;
export type HostMounts = (typeof HOST_MOUNTS)[number];

/** Reads the settings. Source: spec/host §7.2. @throws UserError for an unreadable `.env` and for a value that can't be */
export function loadSettings(workspace: string, env: NodeJS.ProcessEnv = process.env): Settings {
  const file = readEnvFile(join(workspace, '.env'));
  const fromProcess = (name: string) => env[name]?.trim() || undefined;
  const fromFile = (name: string) => file[name]?.trim() || undefined;
  const get = (name: string) => fromProcess(name) ?? fromFile(name);
  return {
    get,
    sourceOf: (name) => (fromProcess(name) ? 'environment' : fromFile(name) ? '.env' : undefined),
    registry: registryOf(get('SSEBENCH_REGISTRY')),
    extraCa: extraCaPath(get('SSEBENCH_EXTRA_CA'), workspace),
    hostMounts: hostMountsOf(get('SSEBENCH_HOST_MOUNTS')),
  };
}

function hostMountsOf(value = 'auto'): HostMounts {
  const known = HOST_MOUNTS.find((it) => it === value);
  if (known) return known;
  throw new UserError(`SSEBENCH_HOST_MOUNTS: "${value}" is not one of: ${HOST_MOUNTS.join(', ')}`);
}

/** An image prefix without a final slash; ours when none is named. @throws UserError for what can be none */
export function registryOf(value: string | undefined, name = 'SSEBENCH_REGISTRY'): string {
  const registry = (value ?? OWN_REGISTRY).replace(/\/+$/, '');
  if (REGISTRY.test(registry)) return registry;
  throw new UserError(`${name}: "${value}" is no image prefix, such as ${OWN_REGISTRY} or ghcr.io/owner/name`);
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UserError(`${showPath(path)}: can't be read: ${(cause as Error).message}`, 1, { cause });
  }
}

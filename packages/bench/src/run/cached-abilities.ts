import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerEngine, EngineAbilities, EngineInfo, EngineVersion } from '@ssebench/engine/port';
import { writeFileAtomic } from '../results/atomic-write.ts';

/** Probing takes seconds, so an answer is kept for a day, in milliseconds. `ssebench doctor` always asks anew. */
const KEPT_FOR = 24 * 3600 * 1000;

interface Kept {
  at: number;
  engine: string;
  abilities: EngineAbilities;
}

/** What the engine can do, from the last answer of this very engine and version where there is one. */
export async function cachedAbilities(
  engine: ContainerEngine,
  about: { info: EngineInfo; version: EngineVersion; cacheDir: string; hostDirectory: string; signal: AbortSignal },
): Promise<EngineAbilities> {
  const name = `${about.info.engineId} ${about.version.product} ${about.version.version} ${engine.address} ${about.hostDirectory}`;
  const path = join(about.cacheDir, 'engine-abilities.json');
  const kept = await readKept(path);
  if (kept?.engine === name && Date.now() - kept.at < KEPT_FOR) return kept.abilities;
  const abilities = await engine.abilities({ hostDirectory: about.hostDirectory, signal: about.signal });
  await mkdir(about.cacheDir, { recursive: true });
  await writeFileAtomic(path, JSON.stringify({ at: Date.now(), engine: name, abilities } satisfies Kept));
  return abilities;
}

/** Our own file of this version; one that can't be read counts as none. */
async function readKept(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

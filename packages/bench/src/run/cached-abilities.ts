import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContainerEngine, EngineAbilities, EngineInfo, EngineVersion } from '@ssebench/engine/port';
import { writeFileAtomic } from '../results/atomic-write.ts';
import type { Stage } from './run-scene.ts';

/** Probing takes seconds, so an answer is kept for a day, in milliseconds. `ssebench doctor` always asks anew. */
const KEPT_FOR = 24 * 3600 * 1000;
/** Answers are about a results folder, too. Of more than this the oldest go. */
const MAX_KEPT = 16;
/** Another shape of what is kept, or other probes. */
const SHAPE = 2;

interface Kept {
  at: number;
  about: string;
  abilities: EngineAbilities;
}

interface About extends Pick<Stage, 'directory' | 'owner' | 'signal'> {
  info: EngineInfo;
  version: EngineVersion;
  cacheDir: string;
}

/** What the engine can do with this run's directories, from an answer of this very engine and version where there is one. */
export async function cachedAbilities(
  engine: ContainerEngine,
  { info, version, cacheDir, directory, owner, signal }: About,
): Promise<EngineAbilities> {
  const [results, sockets] = [dirname(directory.live), dirname(owner.directory)];
  const about = [SHAPE, info.engineId, version.product, version.version, engine.address, results, sockets].join(' ');
  const path = join(cacheDir, 'engine-abilities.json');
  const kept = (await readKept(path)).filter(({ at }) => Date.now() - at < KEPT_FOR);
  const known = kept.find((it) => it.about === about);
  if (known) return known.abilities;
  const abilities = await engine.abilities({ hostDirectory: directory.work, socketDirectory: sockets, signal });
  const next: Kept[] = [{ at: Date.now(), about, abilities }, ...kept].slice(0, MAX_KEPT);
  await mkdir(cacheDir, { recursive: true });
  await writeFileAtomic(path, JSON.stringify(next));
  return abilities;
}

/** Our own file; one that can't be read, or of another version, counts as none. */
async function readKept(path: string): Promise<Kept[]> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

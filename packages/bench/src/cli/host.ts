import { join } from 'node:path';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { findHome, type Home } from '../config/home.ts';
import { loadSettings, type Settings } from '../config/settings.ts';

/** Where a command works: what it reads, and the settings. */
export interface Host extends Home {
  settings: Settings;
}

/** @throws UserError for a home that is not there and for settings that can't be */
export function openHost(): Host {
  const { home, workspace } = findHome();
  return { home, workspace, settings: loadSettings(workspace) };
}

export function modelsDirectory({ workspace }: Home): string {
  return join(workspace, 'models');
}

/** Runs `part` with the container engine and closes it afterwards. @throws EngineError as `connectEngine`, and what `part` throws */
export async function withEngine<T>(part: (engine: ContainerEngine) => Promise<T>): Promise<T> {
  const engine = await connectEngine();
  try {
    return await part(engine);
  } finally {
    engine.close();
  }
}

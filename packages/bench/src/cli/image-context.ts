import type { ContainerEngine } from '@ssebench/engine/port';
import { extraCaPath } from '../config/extra-ca-path.ts';
import type { ImageContext } from '../images/context.ts';
import type { BuildProgress } from '../images/progress.ts';
import type { Host } from './host.ts';
import { VERSION } from './version.ts';

interface ImageSetting {
  progress: BuildProgress;
  signal: AbortSignal;
  /** As on the command line. */
  extraCa?: string | undefined;
}

/** What images are made with, for commands that make them without a run. */
export function imageContext({ home, settings }: Host, engine: ContainerEngine, setting: ImageSetting): ImageContext {
  const { progress, signal } = setting;
  const extraCa = extraCaPath(setting.extraCa, process.cwd()) ?? settings.extraCa;
  const debianMirror = settings.get('SSEBENCH_DEBIAN_MIRROR');
  return { engine, home, registry: settings.registry, version: VERSION, extraCa, debianMirror, progress, signal };
}

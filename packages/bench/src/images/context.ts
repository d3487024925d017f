import type { ContainerEngine } from '@ssebench/engine/port';
import type { BuildProgress } from './progress.ts';

/** What every image is made with. */
export interface ImageContext {
  engine: ContainerEngine;
  /** Absolute; holds `images/`, `agents/`, `packages/`, and `.cache/` for what we derive. */
  home: string;
  /** Prefix of image names, without a final slash. */
  registry: string;
  /** The product's version. */
  version: string;
  /** PEM file with certificate authorities to trust in images; `none` for none; undefined: what the environment names. */
  extraCa: string | undefined;
  /** `SSEBENCH_DEBIAN_MIRROR`: Debian comes from this mirror; undefined: from a registry, or the usual mirror. */
  debianMirror: string | undefined;
  progress: BuildProgress;
  signal: AbortSignal;
}

/** Images under `localhost/` are made here; no registry can have them. Those under any other prefix are pulled. */
export function isOwnRegistry(registry: string): boolean {
  return registry.startsWith('localhost/');
}

import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { ImageContext } from './context.ts';
import { ensureFilledVolume, hasFilledVolume, type VolumeContent } from './filled-volume.ts';
import type { RuntimeIdentity } from './runtime.ts';

/** True when the volume is there and was found complete before. */
export function hasRuntimeVolume(context: ImageContext, { volume }: RuntimeIdentity): Promise<boolean> {
  return hasFilledVolume(context, volume);
}

/** The volume that holds the runtime, complete. @throws FaultError when it can't be */
export function ensureRuntimeVolume(
  context: ImageContext,
  { volume: name, key, image }: RuntimeIdentity,
  content: VolumeContent,
): Promise<void> {
  return ensureFilledVolume(context, {
    title: 'runtime volume',
    name,
    labels: { [LABEL.key]: key },
    role: 'runtime',
    image,
    directory: CONTAINER.runtime,
    command: [CONTAINER.init, '--version'],
    content: async () => comparable(content),
  });
}

/**
 * Compiled code is never the same twice, so that a volume that was filled from another build of the same runtime has other
 * code; one that was cut short is not used.
 */
function comparable(content: VolumeContent): VolumeContent {
  return Object.fromEntries(Object.entries(content).filter(([path]) => !path.endsWith('.code')));
}

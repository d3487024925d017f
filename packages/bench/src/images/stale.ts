import { isEngineError } from '@ssebench/engine/errors';
import type { ImageContext } from './context.ts';

/** On work, tool and agent images: the case image that they stand on, by name. Task ids alone may repeat among datasets. */
export const CASE_LABEL = 'ssebench.case';

/**
 * Takes away the unique names (`k-…`, `i-…`) of one repository's images but `keep`, and with them the images that nothing else
 * names. Those that a container uses stay until the next time.
 * @param labels which images are looked at
 */
export async function removeStale(
  { engine, signal }: Pick<ImageContext, 'engine' | 'signal'>,
  repository: string,
  keep: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const images = await engine.listImages(labels, { signal });
  const stale = images
    .flatMap(({ tags }) => tags)
    .filter((tag) => tag !== keep && (tag.startsWith(`${repository}:k-`) || tag.startsWith(`${repository}:i-`)));
  for (const tag of stale) {
    try {
      await engine.removeImage(tag, { signal });
    } catch (error) {
      if (!isEngineError(error, 'conflict', 'not_found')) throw error;
    }
  }
}

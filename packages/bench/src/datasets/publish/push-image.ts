import { registryAuth } from '@ssebench/engine/docker/registry-auth';
import { isEngineError } from '@ssebench/engine/errors';
import { UserError } from '../../cli/errors.ts';
import type { ImageContext } from '../../images/context.ts';
import { diagnosed } from '../../images/registry-failure.ts';

/**
 * Sends a local image to a registry under these names, one after another.
 * @returns the one digest by which the registry has it
 * @throws UserError with what the registry said and what to do, and when it names two digests
 */
export async function pushImage(
  { engine, progress, signal }: Pick<ImageContext, 'engine' | 'progress' | 'signal'>,
  image: string,
  refs: readonly [string, ...string[]],
): Promise<string> {
  const digests = new Set<string>();
  for (const ref of refs) {
    const before = await engine.inspectImage(ref, { signal });
    progress.step(`pushing ${ref}`);
    if (before?.id !== image) await engine.tag(image, ref, { signal });
    try {
      const onProgress = ({ status, id }: { status: string; id?: string }) =>
        progress.line(id ? `${id}: ${status}` : status);
      digests.add(await engine.push(ref, { auth: await registryAuth(ref), signal, onProgress }));
    } catch (error) {
      if (!isEngineError(error, 'not_found', 'refused', 'timeout')) throw error;
      const remedy = isEngineError(error, 'not_found') ? 'check --registry' : diagnosed(error).remedy;
      throw new UserError(
        `${ref} can't be pushed: ${error.detail}; ${remedy.replace('SSEBENCH_REGISTRY', '--registry')}`,
        1,
        {
          cause: error,
        },
      );
    } finally {
      // The name was only for the way there.
      if (!before) await engine.removeImage(ref);
    }
    progress.done(false);
  }
  const [digest, other] = digests;
  if (digest !== undefined && other === undefined) return digest;
  throw new UserError(`${refs.join(' and ')}: the registry has them by two digests, ${[...digests].join(' and ')}`);
}

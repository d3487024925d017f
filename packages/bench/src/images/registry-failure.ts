import { FaultError, fault } from '@ssebench/contracts/faults';
import { type EngineError, isEngineError } from '@ssebench/engine/errors';

/** What was wanted of a registry, and what is said besides when it can't be had. */
export interface Wanted {
  ref: string;
  /** What names the image by its digest, as messages show it; null: nothing does. */
  pinnedBy?: string | null;
  /** What a person can do who wants to go on without it. */
  otherwise: string;
}

/**
 * Why an image of a registry can't be had: what the registry said, and what to do about it.
 * @throws the error itself when it is not the registry's
 */
export function pullFailure(error: unknown, { ref, pinnedBy, otherwise }: Wanted): FaultError {
  if (!isEngineError(error, 'not_found', 'refused', 'timeout')) throw error;
  const { remedy, retryable } = diagnosed(error);
  const pinned =
    pinnedBy && isEngineError(error, 'not_found') ? `; ${pinnedBy} names it, the registry may have lost it` : '';
  const sentence = `${ref} can't be pulled: ${error.detail}${pinned}\n${remedy}, or ${otherwise}`;
  return new FaultError(fault('image_unavailable', sentence, { retryable }), { cause: error });
}

/** What helps against a registry's refusal, in the words by which engines pass it on. */
export function diagnosed({ code, detail, operation }: EngineError): { remedy: string; retryable: boolean } {
  if (operation === 'find credentials')
    return {
      remedy: 'put that right in the config.json of the Docker client, log in with "docker login"',
      retryable: false,
    };
  if (/no basic auth|unauthorized|authentication required|denied|\b401\b|\b403\b/i.test(detail))
    return { remedy: 'log in with "docker login", check SSEBENCH_REGISTRY', retryable: false };
  if (/toomanyrequests|too many requests|rate limit|\b429\b/i.test(detail))
    return {
      remedy: 'the registry wants fewer requests: try again later, log in with "docker login"',
      retryable: true,
    };
  if (
    /unexpected EOF|verification failed|filesystem layer|short read|content size|digest/i.test(detail) &&
    code !== 'not_found'
  )
    return { remedy: 'a layer did not arrive whole: try again', retryable: true };
  if (code === 'not_found') return { remedy: 'check SSEBENCH_REGISTRY', retryable: false };
  return { remedy: 'check that the registry can be reached, and SSEBENCH_REGISTRY', retryable: true };
}

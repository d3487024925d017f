import type { Context } from 'hono';
import { DaemonError } from '../daemon-error.ts';

/** Most bytes of a request's body. */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The request's body, which must be JSON.
 * @throws DaemonError `invalid_request`
 */
export async function bodyOf(context: Context): Promise<unknown> {
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DaemonError('invalid_request', `the body is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

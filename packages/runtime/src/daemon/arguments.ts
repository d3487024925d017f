import { z } from 'zod';
import { DaemonError } from './daemon-error.ts';

/**
 * The argument object of a tool call.
 * @throws DaemonError with the text and the status of spec/runtime §2.2
 */
export function parseArgument<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const detail = z.prettifyError(parsed.error).replaceAll('\n', ' ');
  throw new DaemonError('invalid_request', `invalid argument: ${detail}`, { status: 500 });
}

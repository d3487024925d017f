import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readBody } from './read-body.ts';

const MAX_BODY = 256 * 1024;

/** What a route of the admin socket answers: the body is sent as JSON. */
export type Answer = readonly [status: number, body: unknown];

export const problem = (status: number, code: string, message: string): Answer => [
  status,
  { error: { code, message } },
];

/** A request's body, or what is wrong with it. */
export async function readAdminBody<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<{ readonly value: T } | { readonly problem: Answer }> {
  const wrong = (why: string) => ({ problem: problem(400, 'body', why) });
  const body = await readBody(request, MAX_BODY);
  if ('failed' in body) return wrong(`the body is ${body.failed}`);
  try {
    const parsed = schema.safeParse(JSON.parse(body.bytes.toString()));
    return parsed.success ? { value: parsed.data } : wrong(z.prettifyError(parsed.error));
  } catch (error) {
    return wrong((error as Error).message);
  }
}

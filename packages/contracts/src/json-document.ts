import type { z } from 'zod';
import { closest } from './closest.ts';
import { dottedPath, problemsOf } from './problems.ts';
import { DocumentError } from './yaml-document.ts';

/** Reads a JSON text that a program wrote. @throws DocumentError with every problem: `shownAs: key: message` */
export function parseJson<S extends z.ZodType>(text: string, schema: S, shownAs: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw DocumentError.of(shownAs, [{ message: `is no JSON: ${(cause as Error).message}` }], { cause });
  }
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error, schema, closest).map(({ path, message }) => ({
    key: dottedPath(path) || undefined,
    message,
  }));
  throw DocumentError.of(shownAs, problems);
}

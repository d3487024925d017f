import type { z } from 'zod';

/** A value is told up to this length, in characters. */
const LONGEST_FOUND = 80;

/** One thing wrong with a document: where, and what a person should do about it. */
export interface Problem {
  /** From the document's root: keys and list positions. */
  path: readonly (string | number)[];
  message: string;
  /** Set for a key that the schema does not know; `path` ends with it. */
  unknownKey?: true;
}

/**
 * The problems of a value that a schema refused. Unknown keys become one problem each, with the closest key that
 * is allowed at that place where one is close.
 * @param error of a parse with `reportInput`: without it, what is of the wrong type is called missing
 * @param closest returns the nearest of `allowed` to `key`, or undefined when none is near
 */
export function problemsOf(
  error: z.ZodError,
  schema: z.ZodType,
  closest: (key: string, allowed: readonly string[]) => string | undefined,
): Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    const path = issue.path.filter((part): part is string | number => typeof part !== 'symbol');
    if (issue.code !== 'unrecognized_keys') return [{ path, message: messageOf(issue) }];
    const allowed = keysAt(schema, path);
    return issue.keys.map((key) => {
      const near = closest(key, allowed);
      const hint = near ? `did you mean "${near}"?` : `allowed: ${allowed.join(', ')}`;
      return { path: [...path, key], message: `unknown key, ${hint}`, unknownKey: true };
    });
  });
}

/** `files.poc[0]` for `['files', 'poc', 0]`. */
export function dottedPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((dotted, part) => {
    if (typeof part === 'number') return `${dotted}[${part}]`;
    return dotted ? `${dotted}.${part}` : part;
  }, '');
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined
      ? `missing, must be ${issue.expected}`
      : `must be ${issue.expected}, found ${kindOf(issue.input)}`;
  }
  if (issue.code === 'invalid_value') {
    const missing = issue.input === undefined ? 'missing, ' : '';
    return `${missing}must be one of ${issue.values.join(', ')}${foundText(issue.input)}`;
  }
  return `${issue.message}${foundText(issue.input)}`;
}

/** A text as it stands in the document, cut where it is long; nothing for what a person can't look for. */
function foundText(input: unknown): string {
  if (typeof input !== 'string' || input.trim() === '') return '';
  return `, found ${JSON.stringify(input.length > LONGEST_FOUND ? `${input.slice(0, LONGEST_FOUND)}…` : input)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The keys that a strict object schema allows at `path`; empty where there is none. */
function keysAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let here: SchemaNode | undefined = schema as SchemaNode;
  for (const part of path) {
    here = unwrap(here);
    here = typeof part === 'number' ? here?.def.element : here?.def.shape?.[part];
  }
  return Object.keys(unwrap(here)?.def.shape ?? {});
}

/** The parts of zod's schema definitions that we walk. Source: zod 4, `_zod.def`. */
interface SchemaNode {
  def: { type: string; innerType?: SchemaNode; element?: SchemaNode; shape?: Record<string, SchemaNode> };
}

function unwrap(node: SchemaNode | undefined): SchemaNode | undefined {
  let here = node;
  while (here?.def.innerType) here = here.def.innerType;
  return here;
}

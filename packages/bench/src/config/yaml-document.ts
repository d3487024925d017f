import { readFileSync, statSync } from 'node:fs';
import { dottedPath, problemsOf } from '@ssebench/contracts/problems';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { UserError } from '../cli/errors.ts';
import { closest } from './closest.ts';
import { showPath } from './show-path.ts';

/** Documents that people write are far smaller; a larger one is a mistake in the path. */
const MAX_BYTES = 1024 * 1024;

/** A document that was read: its value, and where the parts of it stand. */
export interface YamlDocument<T> {
  value: T;
  /** The line, from 1, of the key or list item at `path`; the nearest part around it when there is none. */
  lineOf(path: readonly (string | number)[]): number;
}

/**
 * Reads a YAML file against a schema.
 * @throws UserError with every problem, one line each: `path:line: key: message`
 */
export function readYaml<S extends z.ZodType>(path: string, schema: S): YamlDocument<z.output<S>> {
  return parseYaml(readText(path), schema, showPath(path));
}

/** `readYaml` of a text; `shownAs` names it in messages. @throws UserError as `readYaml` */
export function parseYaml<S extends z.ZodType>(text: string, schema: S, shownAs: string): YamlDocument<z.output<S>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, stringKeys: true });
  const syntax = [...document.errors, ...document.warnings];
  if (syntax.length > 0) {
    throw new UserError(syntax.map(({ pos, message }) => `${shownAs}:${lines.linePos(pos[0]).line}: ${message}`));
  }
  const lineOf = (path: readonly (string | number)[]) => lines.linePos(offsetOf(document, path)).line;
  const parsed = schema.safeParse(toValue(document, shownAs), { reportInput: true });
  if (parsed.success) return { value: parsed.data, lineOf };
  const problems = problemsOf(parsed.error, schema, closest)
    .map(({ path, message }) => ({ line: lineOf(path), text: [dottedPath(path), message].filter(Boolean).join(': ') }))
    .sort((a, b) => a.line - b.line);
  throw new UserError(problems.map((problem) => `${shownAs}:${problem.line}: ${problem.text}`));
}

function readText(path: string): string {
  const shown = showPath(path);
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new UserError(`${shown}: is not a file`);
    if (stat.size > MAX_BYTES) throw new UserError(`${shown}: is larger than 1 MiB`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${shown}: ${readingProblem(error)}`, 1, { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserError(`${shown}: is not UTF-8 text`, 1, { cause });
  }
}

function readingProblem(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'EACCES':
      return "can't be read: permission denied";
    default:
      return `can't be read: ${(error as Error).message}`;
  }
}

/** The plain value; aliases that would multiply beyond measure are refused. */
function toValue(document: Document, shownAs: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new UserError(`${shownAs}:1: ${(cause as Error).message}`, 1, { cause });
  }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === String(part));
      if (!pair) break;
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = typeof part === 'number' ? node.items[part] : undefined;
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else {
      break;
    }
  }
  return offset;
}

import { readFileSync, statSync } from 'node:fs';
import {
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { closest } from './closest.ts';
import { dottedPath, problemsOf } from './problems.ts';
import { scalarTags } from './yaml-scalars.ts';

/** Documents that people write are far smaller; a larger one is a mistake in the path. */
const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 100;
/** One wrong bracket can make every later line wrong. */
const MAX_SYNTAX_ERRORS = 20;
/** What may begin another level on the same line. */
const OPENING = /[[{]|[-?]\s/g;
/** Tokens of the lexer that stand for nothing in the text. */
const CONTROL_TOKENS: ReadonlySet<string> = new Set([CST.BOM, CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** One thing wrong with a document. */
export interface DocumentProblem {
  /** From 1; undefined when the whole file is meant. */
  line?: number | undefined;
  /** Dotted, such as `files.poc[0]`; undefined for the document as a whole. */
  key?: string | undefined;
  message: string;
}

/** What is wrong with a document that a person wrote: all of it, one line for each problem. */
export class DocumentError extends Error {
  readonly lines: readonly string[];
  /** The same as data; empty where only lines were given. */
  readonly problems: readonly DocumentProblem[];

  constructor(lines: readonly string[], options?: ErrorOptions & { problems?: readonly DocumentProblem[] }) {
    super(lines.join('\n'), options);
    this.name = 'DocumentError';
    this.lines = lines;
    this.problems = options?.problems ?? [];
  }

  /** The problems of the document that messages call `shownAs`. */
  static of(shownAs: string, problems: readonly DocumentProblem[], options?: ErrorOptions): DocumentError {
    const lines = problems.map(({ line, key, message }) => {
      const place = line === undefined ? shownAs : `${shownAs}:${line}`;
      return [place, key, message].filter(Boolean).join(': ');
    });
    return new DocumentError(lines, { ...options, problems });
  }
}

/** A document that was read: its value, and where the parts of it stand. */
export interface YamlDocument<T> {
  value: T;
  /** The line, from 1, of the key or list item at `path`; the nearest part around it when there is none. */
  lineOf(path: readonly (string | number)[]): number;
}

/**
 * Reads a YAML file against a schema; `shownAs` names it in messages.
 * @throws DocumentError with every problem, one line each: `path:line: key: message`
 */
export function readYaml<S extends z.ZodType>(path: string, schema: S, shownAs = path): YamlDocument<z.output<S>> {
  return parseYaml(readText(path, shownAs), schema, shownAs);
}

/** `readYaml` of a text. @throws DocumentError as `readYaml` */
export function parseYaml<S extends z.ZodType>(text: string, schema: S, shownAs: string): YamlDocument<z.output<S>> {
  const lines = new LineCounter();
  const document = toDocument(text, lines, shownAs);
  const syntax = [...document.errors, ...document.warnings].map(({ pos, message }) => ({ offset: pos[0], message }));
  syntax.push(...repeatedKeys(document).map((offset) => ({ offset, message: 'Map keys must be unique' })));
  if (syntax.length > 0) {
    const shown = syntax.slice(0, MAX_SYNTAX_ERRORS);
    throw DocumentError.of(
      shownAs,
      shown.map(({ offset, message }) => ({ line: lines.linePos(offset).line, message })),
    );
  }
  const lineOf = (path: readonly (string | number)[]) => lines.linePos(offsetOf(document, path)).line;
  const parsed = schema.safeParse(toValue(document, shownAs), { reportInput: true });
  if (parsed.success) return { value: parsed.data, lineOf };
  const problems = problemsOf(parsed.error, schema, closest)
    .map(({ path, message }) => ({ line: lineOf(path), key: dottedPath(path) || undefined, message }))
    .sort((a, b) => a.line - b.line);
  throw DocumentError.of(shownAs, problems);
}

function toDocument(text: string, lineCounter: LineCounter, shownAs: string): Document {
  const deep = firstTooDeep(text);
  if (deep !== undefined) {
    const line = text.slice(0, deep).split('\n').length;
    throw DocumentError.of(shownAs, [{ line, message: `is nested too deeply, more than ${MAX_DEPTH} levels` }]);
  }
  // The parser's own search for keys that come twice takes quadratic time.
  const options = { lineCounter, prettyErrors: false, uniqueKeys: false, stringKeys: true, customTags: scalarTags };
  return parseDocument(text, options);
}

/** Where brackets, or items on one line, are nested beyond measure: the parser takes seconds for each such text. */
function firstTooDeep(text: string): number | undefined {
  if ((text.match(OPENING)?.length ?? 0) <= MAX_DEPTH) return undefined;
  let [offset, brackets, items] = [0, 0, 0];
  let isScalarText = false;
  for (const token of new Lexer().lex(text)) {
    const type: string | null = isScalarText ? 'text' : CST.tokenType(token);
    isScalarText = type === 'scalar' && token === CST.SCALAR;
    if (type === 'flow-seq-start' || type === 'flow-map-start') brackets++;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') brackets--;
    else if (type === 'newline') items = 0;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') items++;
    if (brackets > MAX_DEPTH || items > MAX_DEPTH) return offset;
    if (!CONTROL_TOKENS.has(token)) offset += token.length;
  }
  return undefined;
}

/** Where keys come a second time in their map. */
function repeatedKeys(document: Document): number[] {
  const repeated: number[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) repeated.push(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
    },
  });
  return repeated;
}

function readText(path: string, shown: string): string {
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw DocumentError.of(shown, [{ message: 'is not a file' }]);
    if (stat.size > MAX_BYTES) throw DocumentError.of(shown, [{ message: 'is larger than 1 MiB' }]);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    throw DocumentError.of(shown, [{ message: readingProblem(error) }], { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw DocumentError.of(shown, [{ message: 'is not UTF-8 text' }], { cause });
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
    throw DocumentError.of(shownAs, [{ line: 1, message: (cause as Error).message }], { cause });
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

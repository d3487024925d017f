import { basename, matchesGlob, posix } from 'node:path';
import { globalArgs, type Instruction, parseDockerfile, stagesOf, substitute } from '../../images/dockerfile.ts';
import { beneath, type TaskTree } from './task-tree.ts';

/** What stands for the registry where everything else is filled in. */
export const REGISTRY = `\${SSEBENCH_REGISTRY}`;
const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|tar\.(?:gz|bz2|xz|zst))$/;

/** One COPY or ADD from the task folder. */
export interface Copy {
  keyword: string;
  line: number;
  /** As written; patterns are possible. */
  sources: readonly string[];
  /** Absolute in the image; undefined when it depends on a variable that has no value here. */
  destination: string | undefined;
  /** Whether sources that are files get their own names beneath the destination. */
  intoFolder: boolean;
  mode: string | undefined;
}

/** One RUN, and the folder that it runs in. */
export interface Run {
  line: number;
  command: string;
  workdir: string | undefined;
}

/** The last stage with what it inherits from the stages that it is made from. */
export interface DockerfileModel {
  /** What the last stage starts from in the end, the registry left as `${SSEBENCH_REGISTRY}`. */
  base: string;
  /** The line of the FROM that names it. */
  baseLine: number;
  hasRegistryArg: boolean;
  copies: readonly Copy[];
  runs: readonly Run[];
  /** Every RUN of every stage. */
  allRuns: readonly Run[];
  problems: readonly { line: number | null; message: string }[];
}

interface StageState {
  base: string;
  baseLine: number;
  workdir: string | undefined;
  values: Map<string, string>;
  copies: Copy[];
  runs: Run[];
}

/** Reads a Dockerfile as far as the rules need it. Source: spec/host §4, "Dockerfile model needed". */
export function readDockerfile(text: string): DockerfileModel {
  const instructions = parseDockerfile(text);
  const globals = globalArgs(instructions, { SSEBENCH_REGISTRY: REGISTRY });
  const firstFrom = instructions.findIndex(({ keyword }) => keyword === 'FROM');
  const before = firstFrom === -1 ? instructions : instructions.slice(0, firstFrom);
  const problems: { line: number | null; message: string }[] = [];
  const named = new Map<string, StageState>();
  const allRuns: Run[] = [];
  let stage: StageState | undefined;
  let name: string | undefined;
  for (const instruction of instructions) {
    const { keyword, line, rest } = instruction;
    if (keyword === 'FROM') {
      if (stage && name !== undefined) named.set(name, stage);
      const from = stagesOf([instruction])[0];
      if (!/^(?:--\S+\s+)*[^\s-]\S*(?:\s+as\s+\S+)?$/i.test(rest)) {
        problems.push({ line, message: `FROM: found "${rest}", must be an image, or an image AS a name` });
      }
      const image = withRegistry(from?.image ?? '', globals);
      stage = inherit(named.get(image.toLowerCase()), image, line);
      name = from?.name;
    } else if (stage) {
      const problem = follow(stage, instruction, globals);
      if (problem) problems.push({ line, message: problem });
      const run = stage.runs.at(-1);
      if (keyword === 'RUN' && run) allRuns.push(run);
    } else if (keyword !== 'ARG') {
      problems.push({ line, message: `${keyword} before the first FROM; only ARG may stand there` });
    }
  }
  if (!stage) problems.push({ line: null, message: 'has no FROM' });
  const registryArg = before.some(
    ({ keyword, rest }) => keyword === 'ARG' && /(?:^|\s)SSEBENCH_REGISTRY(?:=|\s|$)/.test(rest),
  );
  return {
    base: stage?.base ?? '',
    baseLine: stage?.baseLine ?? 1,
    hasRegistryArg: registryArg,
    copies: stage?.copies ?? [],
    runs: stage?.runs ?? [],
    allRuns,
    problems,
  };
}

/** The file of the task folder that ends up at an absolute path of the image; undefined when none does. */
export function sourceOf(model: DockerfileModel, tree: TaskTree, path: string): string | undefined {
  for (const { destination, sources, intoFolder } of model.copies.toReversed()) {
    if (destination === undefined) continue;
    for (const source of sources.flatMap((it) => matching(tree, it)).toReversed()) {
      if (tree.files.has(source)) {
        const target = intoFolder ? posix.join(destination, basename(source)) : destination;
        if (target === path) return source;
      } else {
        const rest = beneath(destination, path);
        const file = rest === undefined ? undefined : posix.join(source, rest);
        if (file !== undefined && tree.files.has(file) && tree.leftOut(file) === undefined) return file;
      }
    }
  }
  return undefined;
}

/** Whether a folder of the image comes from the task folder as a whole, so that its files are at hand. */
export function isAtHand(model: DockerfileModel, tree: TaskTree, path: string): boolean {
  return model.copies.some(({ destination, sources }) => {
    if (destination === undefined) return false;
    const rest = destination === path ? '' : beneath(destination, path);
    if (rest === undefined) return false;
    return sources
      .flatMap((it) => matching(tree, it))
      .some((source) => source === rest || isFolderSent(tree, posix.join(source, rest)));
  });
}

/** What a source of COPY stands for, of what a build is sent: files and folders of the task; the whole folder is the empty path. */
export function matching(tree: TaskTree, source: string): string[] {
  return named(tree, source).filter((path) => isSent(tree, path));
}

/** Why nothing of what a source stands for is sent to a build; undefined when there is nothing. */
export function leftOut(tree: TaskTree, source: string): ReturnType<TaskTree['leftOut']> {
  return named(tree, source).map(tree.leftOut)[0];
}

/** A folder that is left out is there all the same when anything in it is not. */
function isSent(tree: TaskTree, path: string): boolean {
  if (path === '' || tree.leftOut(path) === undefined) return true;
  return [...tree.files].some((file) => beneath(path, file) !== undefined && !tree.leftOut(file));
}

function isFolderSent(tree: TaskTree, path: string): boolean {
  return tree.folders.has(path) && isSent(tree, path);
}

function named(tree: TaskTree, source: string): string[] {
  const path = posix.normalize(source).replace(/^\/+|\/+$/g, '');
  if (path === '.' || path === '') return [''];
  if ([tree.files, tree.folders, tree.links, tree.outside].some((known) => known.has(path))) return [path];
  if (!/[*?[]/.test(path)) return [];
  return [...tree.files, ...tree.folders].filter((it) => matchesGlob(it, path));
}

function inherit(parent: StageState | undefined, image: string, line: number): StageState {
  if (!parent) return { base: image, baseLine: line, workdir: '/', values: new Map(), copies: [], runs: [] };
  const { base, baseLine, workdir, values, copies, runs } = parent;
  return { base, baseLine, workdir, values: new Map(values), copies: [...copies], runs: [...runs] };
}

/** @returns what can't be read of it */
function follow(stage: StageState, { keyword, rest, line }: Instruction, globals: ReadonlyMap<string, string>) {
  switch (keyword) {
    case 'ARG': {
      const bare = /^([A-Za-z_]\w*)$/.exec(rest)?.[1];
      const found = bare === undefined ? globalArgs([{ keyword, rest, line, lastLine: line }], {}) : globals;
      for (const [key, value] of found) if (bare === undefined || bare === key) stage.values.set(key, value);
      return undefined;
    }
    case 'ENV':
      setEnvironment(stage, rest);
      return undefined;
    case 'WORKDIR':
      stage.workdir = absolute(stage, unquoted(rest));
      return undefined;
    case 'RUN':
      stage.runs.push({ line, command: commandOf(rest), workdir: stage.workdir });
      return undefined;
    case 'COPY':
    case 'ADD':
      return followCopy(stage, keyword, rest, line);
    default:
      return undefined;
  }
}

function setEnvironment(stage: StageState, rest: string): void {
  const pairs = [...rest.matchAll(/([A-Za-z_]\w*)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s\\]|\\.)*))/g)];
  const old = /^([A-Za-z_]\w*)\s+(.+)$/s.exec(rest);
  const found = /^[A-Za-z_]\w*=/.test(rest) ? pairs : [];
  for (const [, key = '', double, single, plain] of found) {
    const value = filledIn(stage, double ?? single ?? plain ?? '');
    if (value === undefined) stage.values.delete(key);
    else stage.values.set(key, value);
  }
  if (found.length === 0 && old?.[1] !== undefined) stage.values.set(old[1], old[2] ?? '');
}

function followCopy(stage: StageState, keyword: string, rest: string, line: number): string | undefined {
  const flags: string[] = [];
  let text = rest;
  for (let flag = /^(--\S+)\s+/.exec(text); flag; flag = /^(--\S+)\s+/.exec(text)) {
    flags.push(flag[1] ?? '');
    text = text.slice(flag[0].length);
  }
  const words = wordsOf(text);
  if (typeof words === 'string') return `${keyword}: ${words}`;
  if (flags.some((flag) => flag.startsWith('--from='))) return undefined;
  const target = words.at(-1) ?? '';
  const local = words.slice(0, -1).filter((word) => !/^(?:https?|git|ftp):|^git@|^<</.test(word));
  const sources = keyword === 'ADD' ? local.filter((word) => !ARCHIVE.test(word)) : local;
  if (sources.length === 0) return undefined;
  const destination = absolute(stage, target);
  const intoFolder = sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(target) || destination === stage.workdir;
  const mode = flags.find((flag) => flag.startsWith('--chmod='))?.slice('--chmod='.length);
  stage.copies.push({
    keyword,
    line,
    sources: sources.map((it) => filledIn(stage, it) ?? it),
    destination,
    intoFolder,
    mode,
  });
  return undefined;
}

/** `["chmod", "+x", "a"]` is told as `chmod +x a`. */
function commandOf(rest: string): string {
  return listOf(rest)?.join(' ') ?? rest;
}

/** A JSON list of texts; undefined for everything else, which Docker takes as the plain form. */
function listOf(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((it) => typeof it === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

function wordsOf(text: string): string[] | string {
  const list = listOf(text);
  if (list && list.length > 1) return list;
  // A path that begins with a bracket is a slip.
  if (text.startsWith('[')) return `found "${text}", must be a JSON list of at least two texts`;
  const words = (text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map(unquoted);
  return words.length > 1 ? words : `found "${text}", must be at least one source and a destination`;
}

function absolute(stage: StageState, path: string): string | undefined {
  const full = filledIn(stage, path);
  if (full === undefined) return undefined;
  if (!full.startsWith('/') && stage.workdir === undefined) return undefined;
  return posix.resolve(stage.workdir ?? '/', full);
}

/** Undefined when a variable has no value here: the base image may set it. */
function filledIn({ values }: StageState, text: string): string | undefined {
  for (const [, name = '', operator] of text.matchAll(/\$\{?([A-Za-z_]\w*)(:[-+])?/g)) {
    if (!values.has(name) && operator === undefined) return undefined;
  }
  return substitute(text, values);
}

function withRegistry(image: string, globals: ReadonlyMap<string, string>): string {
  return substitute(image, new Map([...globals, ['SSEBENCH_REGISTRY', REGISTRY]]));
}

function unquoted(word: string): string {
  return /^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word;
}

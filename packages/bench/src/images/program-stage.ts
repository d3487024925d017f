import { posix } from 'node:path';
import { globalArgs, type Instruction, parseDockerfile, stagesOf, substitute } from './dockerfile.ts';

/** What the stage is built on, and what it is called. */
export const PROGRAM_BASE = 'ssebench-program';
const STAGE = 'program';

/** The part of an agent's Dockerfile that is the same for every task: the stage `program`, `FROM ssebench-program`. */
export interface ProgramStage {
  /** The Dockerfile up to the stage's end: all that the stage can be made of. Line numbers are the file's. */
  content: string;
  /** Paths and patterns of the agent's folder that it takes files by; undefined: which ones can't be told. */
  sources: readonly string[] | undefined;
  /** The whole Dockerfile, with an image in the stage's place. Line numbers stay. */
  replacedBy(image: string): string;
}

/** Finds it; undefined when there is none, or one of that name that stands on another image and is of the agent's own kind. */
export function programStage(text: string): ProgramStage | undefined {
  const instructions = parseDockerfile(text);
  const args = globalArgs(instructions, {});
  const stages = stagesOf(instructions);
  const at = stages.findIndex(({ name, image }) => name === STAGE && substitute(image, args) === PROGRAM_BASE);
  const stage = stages[at];
  if (!stage) return undefined;
  const { line, lastLine } = stage.instruction;
  const lines = text.split('\n');
  const end = (stages[at + 1]?.instruction.line ?? lines.length + 1) - 1;
  const head = instructions.filter((instruction) => instruction.line <= end);
  return {
    content: lines.slice(0, end).join('\n'),
    sources: sourcesOf(head),
    replacedBy(image) {
      const replaced = [...lines];
      replaced.fill('', line - 1, Math.max(end, lastLine));
      replaced[line - 1] = `FROM ${image} AS ${STAGE}`;
      return replaced.join('\n');
    },
  };
}

/** The files among these, by their paths in the folder, that the stage is made of. */
export function sourceFiles({ sources }: ProgramStage, files: readonly string[]): string[] {
  if (sources === undefined) return [...files];
  return files.filter((path) => path === '.dockerignore' || sources.some((source) => isTaken(path, source)));
}

function isTaken(path: string, source: string): boolean {
  if (source === '.') return true;
  const pattern = patternOf(source);
  for (let part = path; part !== '.'; part = posix.dirname(part)) if (pattern.test(part)) return true;
  return false;
}

/** What the engine's patterns match: unlike a shell's, they take names with a dot in front as any other. */
function patternOf(source: string): RegExp {
  const parts = source.split(/(\*\*|[*?])/).map((part) => {
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[\\^$.+()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

function sourcesOf(instructions: readonly Instruction[]): string[] | undefined {
  const sources: string[] = [];
  for (const { keyword, rest } of instructions) {
    const found = keyword === 'RUN' ? boundBy(rest) : keyword === 'COPY' || keyword === 'ADD' ? copiedBy(rest) : [];
    if (keyword === 'ONBUILD' || found === undefined || found.some((source) => /[$[]/.test(source))) return undefined;
    sources.push(...found);
  }
  return sources.filter((source) => !isElsewhere(source)).map(normalized);
}

/** `RUN --mount=type=bind`: without a `from` it is the folder's. */
function boundBy(rest: string): string[] {
  const [flags = ''] = /^(?:--\S+\s+)*/.exec(rest) ?? [];
  return [...flags.matchAll(/--mount=(\S+)/g)].flatMap(([, written = '']) => {
    const parts = written.replaceAll('"', '').split(',');
    const option = (name: string) => parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    if ((option('type') ?? 'bind') !== 'bind' || option('from') !== undefined) return [];
    return [option('source') ?? option('src') ?? '.'];
  });
}

/** Undefined for what we don't understand. */
function copiedBy(rest: string): string[] | undefined {
  const [flags = ''] = /^(?:--\S+\s+)*/.exec(rest) ?? [];
  if (/(?:^|\s)--from=/i.test(flags)) return [];
  const words = rest.slice(flags.length);
  if (!words.startsWith('[')) {
    if (/["'\\]/.test(words)) return undefined;
    return words
      .split(/\s+/)
      .slice(0, -1)
      .filter((word) => !word.startsWith('<<'));
  }
  try {
    const list: unknown = JSON.parse(words);
    return Array.isArray(list) ? list.slice(0, -1).map(String) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isElsewhere(source: string): boolean {
  return /^(?:[a-z+]+:\/\/|git@)/i.test(source);
}

/** As the engine takes it: from the folder's top, whatever it begins with. */
function normalized(source: string): string {
  return posix.relative('/', posix.join('/', source)) || '.';
}

/** One instruction of a Dockerfile, continuation lines joined and comments left out. */
export interface Instruction {
  /** Upper case. */
  keyword: string;
  /** What follows the keyword. */
  rest: string;
  /** Of its first line, from 1. */
  line: number;
  /** Of its last line; here-documents lie beyond it. */
  lastLine: number;
}

export interface Stage {
  /** As written, not substituted. */
  image: string;
  /** Lower case, as names of stages compare. */
  name: string | undefined;
  instruction: Instruction;
}

const COMMENT = /^\s*#/;
const HERE_DOCUMENT = /<<-?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)\1/g;
const VARIABLE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::([-+])([^}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** The instructions of a Dockerfile in order. Lines that are none are skipped: the engine reports them. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text.split(/\r?\n/);
  const continuation = escapeOf(lines);
  const instructions: Instruction[] = [];
  let index = 0;
  while (index < lines.length) {
    const first = index;
    let joined = '';
    let goesOn = true;
    while (goesOn && index < lines.length) {
      const line = lines[index++] ?? '';
      if (COMMENT.test(line) || (line.trim() === '' && index - 1 > first)) {
        goesOn = index - 1 > first;
        continue;
      }
      const end = line.trimEnd();
      goesOn = end.endsWith(continuation);
      joined += goesOn ? `${end.slice(0, -1)} ` : line;
    }
    const [, keyword, rest = ''] = /^\s*([A-Za-z]+)(?:\s+(.*))?$/s.exec(joined) ?? [];
    if (keyword === undefined) continue;
    instructions.push({ keyword: keyword.toUpperCase(), rest: rest.trim(), line: first + 1, lastLine: index });
    index = afterHereDocuments(lines, index, keyword, joined);
  }
  return instructions;
}

/** The build stages, in order. */
export function stagesOf(instructions: readonly Instruction[]): Stage[] {
  return instructions
    .filter(({ keyword }) => keyword === 'FROM')
    .map((instruction) => {
      const words = instruction.rest.split(/\s+/).filter((word) => !word.startsWith('--'));
      const name = words[1]?.toUpperCase() === 'AS' ? words[2]?.toLowerCase() : undefined;
      return { image: words[0] ?? '', name, instruction };
    });
}

/**
 * The images that the stages start from, other stages resolved: `final` is what the last stage ends on, `all` has each
 * image once. Arguments before the first FROM count, with `args` in place of their defaults.
 */
export function baseImages(text: string, args: Readonly<Record<string, string>>): { final: string; all: string[] } {
  const instructions = parseDockerfile(text);
  const values = globalArgs(instructions, args);
  const named = new Map<string, string>();
  let final = '';
  for (const { image, name } of stagesOf(instructions)) {
    const substituted = substitute(image, values);
    final = named.get(substituted.toLowerCase()) ?? substituted;
    if (name !== undefined) named.set(name, final);
  }
  const all = stagesOf(instructions).map(({ image }) => substitute(image, values));
  return { final, all: [...new Set(all)].filter((image) => !named.has(image.toLowerCase()) && image !== 'scratch') };
}

/** The arguments before the first FROM, with `args` in place of their defaults. */
export function globalArgs(
  instructions: readonly Instruction[],
  args: Readonly<Record<string, string>>,
): Map<string, string> {
  const values = new Map<string, string>();
  for (const { keyword, rest } of instructions) {
    if (keyword === 'FROM') break;
    if (keyword !== 'ARG') continue;
    for (const [, name = '', quoted, plain] of rest.matchAll(/([A-Za-z_]\w*)(?:=(?:["']([^"']*)["']|(\S*)))?/g)) {
      const value = args[name] ?? quoted ?? plain;
      if (value !== undefined) values.set(name, substitute(value, values));
    }
  }
  return values;
}

/** Text with its variables filled in; one that has no value becomes nothing, a form that we don't know stays. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (_, braced?: string, operator?: string, word = '', plain?: string) => {
    const value = values.get(braced ?? plain ?? '') ?? '';
    if (operator === '-') return value || word;
    if (operator === '+') return value && word;
    return value;
  });
}

/** A directive such as `# escape=` counts in the comments at the very top only. */
function escapeOf(lines: readonly string[]): string {
  for (const line of lines) {
    const [, name, value] = /^\s*#\s*([A-Za-z]+)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (name === undefined) break;
    if (name.toLowerCase() === 'escape' && value) return value;
  }
  return '\\';
}

function afterHereDocuments(lines: readonly string[], index: number, keyword: string, text: string): number {
  if (!['RUN', 'COPY', 'ADD'].includes(keyword.toUpperCase())) return index;
  let next = index;
  for (const [, , word] of text.matchAll(HERE_DOCUMENT)) {
    const end = lines.findIndex((line, at) => at >= next && line.replace(/^\t+/, '') === word);
    // Without its end it is a shift operator or the engine's to refuse.
    if (end !== -1) next = end + 1;
  }
  return next;
}

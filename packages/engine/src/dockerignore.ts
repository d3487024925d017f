import dockerignoreModule from '@balena/dockerignore';

/** Its types say that it exports a default; the module is the function itself. */
const dockerignore = dockerignoreModule as unknown as typeof dockerignoreModule.default;

/** The name of the file in a directory that is sent to a build. */
export const DOCKERIGNORE = '.dockerignore';

/** Lines of a `.dockerignore` that are no patterns; engines refuse them, too. */
export class PatternError extends Error {
  /** Counted from 1. */
  readonly lines: readonly number[];

  constructor(lines: readonly number[]) {
    super(`${DOCKERIGNORE}: no pattern in line ${lines.join(', ')}`);
    this.lines = lines;
  }
}

/**
 * Which paths of a directory rules leave out of a build. A directory that is left out may hold what is not: a later rule can take it back in.
 * @param text what its `.dockerignore` says
 * @param more patterns of the same kind, after these
 * @throws PatternError
 */
export function ignoredPaths(text: string, more: readonly string[] = []): (path: string) => boolean {
  const lines = text.split(/\r?\n/);
  const wrong = lines.flatMap((line, index) => (isPattern(line) ? [] : [index + 1]));
  if (wrong.length > 0) throw new PatternError(wrong);
  const rules = dockerignore().add([...lines, ...more]);
  return (path) => rules.ignores(path);
}

/** Rules are read when they are asked: one that takes paths back in, only of what is left out. */
function isPattern(line: string): boolean {
  try {
    for (const before of [[], ['*']])
      dockerignore()
        .add([...before, line])
        .ignores('x');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

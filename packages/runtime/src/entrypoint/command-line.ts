/** What a container does: the agent phase, grading, or both. */
export const MODES = ['work', 'grade', 'same'] as const;
export type Mode = (typeof MODES)[number];

export interface CommandLine {
  mode: Mode;
  /** The agent's program and arguments, as the image's CMD lists them; empty in `grade`. */
  command: readonly string[];
}

/** A wrong argument or variable: the run has not begun. The message says what it must be. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Reads `--mode work|grade|same -- <command> [args…]`. What follows the first `--` is never looked into.
 * @throws UsageError
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const command = end === -1 ? [] : args.slice(end + 1);
  const [flag, name, ...rest] = options;
  if (flag !== '--mode' || rest.length > 0) {
    throw new UsageError(
      `usage: entrypoint --mode ${MODES.join('|')} -- <command> [args…], got ${JSON.stringify(options.join(' '))}`,
    );
  }
  const mode = MODES.find((known) => known === name);
  if (!mode) throw new UsageError(`--mode must be one of ${MODES.join(', ')}, got ${JSON.stringify(name ?? '')}`);
  if (mode !== 'grade' && !command[0]) throw new UsageError(`mode ${mode} needs a command: the image has no CMD`);
  return { mode, command };
}

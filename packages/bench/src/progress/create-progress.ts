import { PlainProgress } from './plain-progress.ts';
import type { RunProgress } from './run-progress.ts';
import { TerminalProgress } from './terminal-progress.ts';

/** Progress on standard error: a live line on a terminal, plain lines elsewhere. */
export function createProgress(out: NodeJS.WriteStream = process.stderr): RunProgress {
  return out.isTTY ? new TerminalProgress(out) : new PlainProgress((line) => out.write(line));
}

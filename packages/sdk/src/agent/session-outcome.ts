import type { ProgramEnd } from './run-program.ts';

/**
 * How a session ended, for its `complete` entry. A program that was stopped had no time left; one that ends with status 0 did
 * what it could, unless it says itself that it failed.
 * @param failure the program's own words about what went wrong; default: the end of its standard error
 */
export function sessionOutcome(
  end: ProgramEnd,
  { failed, failure }: { failed: boolean; failure?: string | undefined },
): { status: 'success' | 'error' | 'timeout'; message?: string } {
  if (end.stopped) return { status: 'timeout', message: 'It was stopped before it had ended.' };
  if (end.status === 0 && !failed) return { status: 'success' };
  const how = end.signal ?? `exit status ${end.status}`;
  const said = (failure || end.lastWords).trim();
  return { status: 'error', message: said ? `${how}: ${said}` : how };
}

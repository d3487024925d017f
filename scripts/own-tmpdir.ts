import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What programs keep there for the next time, and where runs have their short directories. */
const SHARED = /^(?:node-compile-cache|ssebench-test-compile-cache|ssebench-\d+)$/;

let own = '';

/**
 * Gives the unit tests a temporary directory of their own, so that nothing of them stays, not even of those that failed.
 * @public called by vitest
 */
export function setup(): void {
  own = mkdtempSync(join(tmpdir(), 'unit-'));
  // As everybody's is: tests as root start programs of other users.
  chmodSync(own, 0o755);
  process.env['TMPDIR'] = own;
}

/**
 * Takes it away, and tells what tests left behind: one that was ended before its end does, and a process that outlives its test may.
 * @public called by vitest
 */
export function teardown(): void {
  const left = readdirSync(own).filter((name) => !SHARED.test(name));
  rmSync(own, { recursive: true, force: true });
  if (left.length > 0) process.stderr.write(`left behind in the temporary directory: ${left.sort().join(', ')}\n`);
}

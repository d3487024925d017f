import { containerUse } from './container-use.ts';

/** Whoever asked does not wait any longer. Milliseconds. */
const LIMIT = 55_000;

/**
 * `usage SINCE [MOUNT…]`: prints what `containerUse` finds, as JSON. The host asks for it where the engine's own figure says
 * too much or nothing: that counts holes as bytes, and stops at paths that are too long.
 */
export async function runUsage([since, ...mounts]: readonly string[]): Promise<number> {
  const from = Number(since);
  if (!Number.isSafeInteger(from)) {
    process.stderr.write('usage: a time is missing, in milliseconds\n');
    return 1;
  }
  setTimeout(() => process.exit(1), LIMIT).unref();
  process.stdout.write(`${JSON.stringify(await containerUse(from, mounts))}\n`);
  return 0;
}

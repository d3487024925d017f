import { readFileSync } from 'node:fs';
import type { DiskUse } from '@ssebench/contracts/caps';
import { diskUse } from '../system/disk-use.ts';
import { parseMounts } from './mounts.ts';

/** Whoever asked does not wait any longer. Milliseconds. */
const LIMIT = 55_000;

/**
 * `usage SINCE [MOUNT…]`: prints, as JSON, what was written since (milliseconds since 1970) to this container's own file
 * system and to these mounts of it. The host asks for it where the engine's own figure says too much or nothing: that
 * counts holes as bytes, and stops at paths that are too long. Nothing that an unprivileged user does changes when a file
 * was changed.
 */
export async function runUsage([since, ...mounts]: readonly string[]): Promise<number> {
  const from = Number(since);
  if (!Number.isSafeInteger(from)) {
    process.stderr.write('usage: a time is missing, in milliseconds\n');
    return 1;
  }
  setTimeout(() => process.exit(1), LIMIT).unref();
  const table = parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'));
  const except = new Set(table.map(({ path }) => path));
  const isOverlay = table.find(({ path }) => path === '/')?.fileSystem === 'overlay';
  const parts = [await diskUse('/', { except, since: from, skipUnchanged: isOverlay })];
  for (const mount of mounts) parts.push(await diskUse(mount, { except, since: from }));
  const sum: DiskUse = { bytes: 0, files: 0 };
  for (const { bytes, files } of parts) {
    sum.bytes += bytes;
    sum.files += files;
  }
  process.stdout.write(`${JSON.stringify(sum)}\n`);
  return 0;
}

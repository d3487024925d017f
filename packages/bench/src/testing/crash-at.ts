/**
 * Preloaded (`node --import`) into a program under test: disturbs it at its n-th change of the file system beneath a
 * directory. No product code knows of it.
 *
 * - `CRASH_BENEATH`: the directory. `CRASH_AT`: n, counted from 1; 0 only counts.
 * - `CRASH_HOW`: `torn`: it is killed with SIGKILL in the middle of it, where half of a file's bytes can be written;
 *   `full`: the disk of the directory is full from then on, and it goes on.
 * - `CRASH_COUNT`: a file that gets the number of changes when the program ends by itself.
 */
import { writeFileSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';
import { fill } from './small-disk.ts';

const {
  CRASH_BENEATH: beneath = '',
  CRASH_AT: at = '0',
  CRASH_HOW: how = 'torn',
  CRASH_COUNT: countFile,
} = process.env;
const CHANGES = ['mkdir', 'symlink', 'link', 'rename', 'unlink', 'rm', 'writeFile', 'copyFile', 'appendFile'] as const;

let changes = 0;

/** One change begins. `half` does the first half of it. */
function change(half?: () => void): void {
  changes += 1;
  if (changes !== Number(at)) return;
  if (how === 'full') {
    fill(beneath);
    return;
  }
  half?.();
  process.kill(process.pid, 'SIGKILL');
}

function isBeneath(path: unknown): boolean {
  return typeof path === 'string' && `${resolve(path)}${sep}`.startsWith(`${resolve(beneath)}${sep}`);
}

type Call = (...args: unknown[]) => unknown;
const calls = fs as unknown as Record<string, Call>;
for (const name of CHANGES) {
  const original = calls[name] as Call;
  calls[name] = (...args) => {
    const half = name === 'writeFile' ? () => writeFileSync(String(args[0]), halfOf(args[1])) : undefined;
    if (args.some(isBeneath)) change(half);
    return original(...args);
  };
}

const open = calls['open'] as Call;
calls['open'] = async (...args) => {
  const isWrite = args[1] !== 'r' && args[1] !== undefined && typeof args[1] === 'string';
  if (isWrite && isBeneath(args[0])) change();
  const handle = (await open(...args)) as FileHandle;
  if (isWrite && isBeneath(args[0])) watch(handle);
  return handle;
};

function watch(handle: FileHandle): void {
  const write = handle.writeFile.bind(handle);
  const sync = handle.sync.bind(handle);
  handle.writeFile = (content, options) => {
    change(() => writeFileSync(handle.fd, halfOf(content)));
    return write(content, options);
  };
  handle.sync = () => {
    change();
    return sync();
  };
}

function halfOf(content: unknown): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return bytes instanceof Uint8Array ? bytes.subarray(0, bytes.length / 2) : new Uint8Array();
}

syncBuiltinESMExports();
process.on('exit', () => {
  if (countFile) writeFileSync(countFile, String(changes));
});

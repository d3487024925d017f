import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of its own at a directory, to be filled. Only root can make one. */
export class SmallDisk implements Disposable {
  readonly path: string;

  constructor(path: string, size: string) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', path]);
  }

  /** Takes all the room that is left. */
  fill(): void {
    fill(this.path);
  }

  /** Gives the room back. */
  empty(): void {
    rmSync(ballast(this.path), { force: true });
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['--lazy', this.path]);
  }
}

/** Takes all the room that is left on a directory's disk. */
export function fill(directory: string): void {
  const file = openSync(ballast(directory), 'a');
  try {
    for (const size of [64 * 1024, 4096, 1]) {
      const chunk = Buffer.alloc(size);
      try {
        while (writeSync(file, chunk) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

function ballast(directory: string): string {
  return join(directory, '.ballast');
}

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of its own at a directory, to be filled. Only root can make one. */
export class SmallDisk implements Disposable {
  readonly path: string;

  /** `entries`: how many files and directories it has room for; undefined: as many as usual. */
  constructor(path: string, size: string, entries?: number) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    const options = `size=${size},mode=0755${entries === undefined ? '' : `,nr_inodes=${entries}`}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  }

  /** Takes all the room that is left. */
  fill(): void {
    fill(this.path);
  }

  /** Takes the room for every further file. */
  fillEntries(): void {
    const directory = `${ballast(this.path)}-entries`;
    mkdirSync(directory);
    try {
      for (let count = 0; ; count += 1) writeFileSync(join(directory, String(count)), '');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** Gives the room back. */
  empty(): void {
    rmSync(ballast(this.path), { force: true });
    rmSync(`${ballast(this.path)}-entries`, { recursive: true, force: true });
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

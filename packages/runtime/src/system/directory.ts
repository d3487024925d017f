import { closeSync, constants, type Dirent, openSync, readdirSync } from 'node:fs';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A name in a directory, and what it stands for. */
export type Entry = Dirent<Buffer>;

/**
 * An open directory, reached by descriptor: nobody can put a link in its place between two steps, and no path grows
 * too long. Names are bytes. The system has no call to reach entries by descriptor from here; `/proc/self/fd` does the same.
 */
export class Directory implements Disposable {
  readonly fd: number;
  readonly #path: Buffer;

  private constructor(fd: number) {
    this.fd = fd;
    this.#path = Buffer.from(`/proc/self/fd/${fd}/`);
  }

  /** @throws ELOOP or ENOTDIR when `path` is a link or no directory */
  static open(path: string | Buffer): Directory {
    return new Directory(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** The same, where links on the way, and at the end, are trusted. */
  static reach(path: string): Directory {
    return new Directory(openSync(path, O_RDONLY | O_DIRECTORY));
  }

  openDirectory(name: Buffer): Directory {
    return Directory.open(this.at(name));
  }

  /** The path of an entry: good as long as this directory is open. A link at its end is followed unless the call says no. */
  at(name: Buffer): Buffer {
    return Buffer.concat([this.#path, name]);
  }

  names(): Buffer[] {
    return readdirSync(this.#path, { encoding: 'buffer' });
  }

  /** Names with the kind that each was when the directory was read. */
  entries(): Entry[] {
    return readdirSync(this.#path, { encoding: 'buffer', withFileTypes: true });
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/** Lets other work of the process run now and then during long synchronous work. */
export class Pacer {
  #since = performance.now();

  async giveWay(): Promise<void> {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#since = performance.now();
  }

  /** Whether 10 ms have passed since the last time. */
  get due(): boolean {
    return performance.now() - this.#since >= 10;
  }
}

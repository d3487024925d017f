import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { TEXT_LIMIT } from './scan.ts';
import type { FoundFile } from './walk.ts';

/** Directories that hold a git object store: the folder above `objects`. */
export function gitDirectories(files: readonly FoundFile[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    const path = file.path.toString();
    const loose = /^(.*)\/objects\/[0-9a-f]{2}\/[0-9a-f]{38,}$/.exec(path);
    const packed = /^(.*)\/objects\/pack\/[^/]+\.pack$/.exec(path);
    const directory = (loose ?? packed)?.[1];
    if (directory !== undefined) found.add(directory);
  }
  return [...found].sort();
}

/**
 * Every object of a store and of its alternates, reachable or not, as text.
 * @throws Error when git can't read it
 */
export async function* gitTexts(directory: string): AsyncGenerator<{ name: string; text: string }> {
  const child = spawn('git', ['cat-file', '--batch-all-objects', '--unordered', '--batch'], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: '/nonexistent',
      GIT_DIR: directory,
      GIT_OBJECT_DIRECTORY: `${directory}/objects`,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_NO_LAZY_FETCH: '1',
    },
  });
  const closed = once(child, 'close');
  const reader = new ObjectReader();
  try {
    for await (const chunk of child.stdout) yield* reader.read(chunk);
  } finally {
    child.kill();
  }
  const [code] = await closed;
  if (code !== 0) throw new Error(`git cat-file ended with ${code}`);
}

/** Cuts the output of `git cat-file --batch` into objects: a line `<id> <type> <size>`, the content, a line end. */
class ObjectReader {
  #rest = Buffer.alloc(0);
  #held: Buffer[] = [];
  #missing = 0;
  #name = '';
  #skip = false;

  *read(chunk: Buffer): Generator<{ name: string; text: string }> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing > 0) {
        const part = chunk.subarray(at, at + this.#missing);
        this.#missing -= part.length;
        at += part.length;
        if (!this.#skip) this.#held.push(part);
        if (this.#missing > 0) return;
        if (!this.#skip) yield { name: this.#name, text: Buffer.concat(this.#held).toString('latin1') };
        this.#held = [];
        continue;
      }
      const end = chunk.indexOf(0x0a, at);
      const part = chunk.subarray(at, end < 0 ? chunk.length : end);
      at += part.length + 1;
      this.#rest = Buffer.concat([this.#rest, part]);
      if (end < 0) return;
      const [id = '', type, size] = this.#rest.toString('latin1').split(' ');
      this.#rest = Buffer.alloc(0);
      if (size === undefined) throw new Error(`git cat-file printed what is no object: ${id}`);
      this.#name = `git object ${id}`;
      // The content is followed by a line end of git's own.
      this.#missing = Number(size) + 1;
      this.#skip = type === 'tree' || Number(size) > TEXT_LIMIT;
    }
  }
}

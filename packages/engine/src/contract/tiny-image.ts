import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { packEntries, type TarEntry } from '../tar.ts';

const PROGRAMS = ['sh', 'cat', 'sleep', 'ls', 'id', 'env', 'head', 'stat'];

/** What the image holds at `/seed`, for volumes that are filled from it. */
export const SEED = { file: '/seed/deep/word', content: 'from the image' };

/**
 * A root file system of a few megabytes, made of this host's own programs and the libraries that they need: the suite
 * needs no registry and no network. User 1000 is `model`.
 */
export async function tinyRootfs(): Promise<Readable> {
  const programs = await Promise.all(PROGRAMS.map(find));
  const libraries = new Set((await Promise.all(programs.map(librariesOf))).flat());
  const files: TarEntry[] = [
    ...['proc', 'sys', 'dev', 'etc', 'bin', 'home', 'seed', 'seed/deep'].map((name) => ({
      name,
      directory: true as const,
    })),
    { name: 'tmp', directory: true, mode: 0o1777 },
    { name: 'etc/passwd', content: 'root:x:0:0::/:/bin/sh\nmodel:x:1000:1000::/home:/bin/sh\n' },
    { name: 'etc/group', content: 'root:x:0:\nmodel:x:1000:\n' },
    { name: SEED.file.slice(1), content: SEED.content },
  ];
  for (const program of programs) files.push(await copyOf(program, join('bin', nameOf(program))));
  for (const library of libraries) files.push(await copyOf(library, library.slice(1)));
  return packEntries(files);
}

async function copyOf(source: string, name: string): Promise<TarEntry> {
  return { name, mode: 0o755, content: await readFile(source) };
}

async function find(program: string): Promise<string> {
  for (const directory of [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin']) {
    const path = join(directory, program);
    // The last name counts: `sh` is a link to some shell.
    if (await realpath(path).catch(() => undefined)) return path;
  }
  throw new Error(`${program} is nowhere on PATH`);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The paths that the dynamic loader takes; none for a static program. */
async function librariesOf(program: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('ldd', [program]);
    return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path);
  } catch {
    return [];
  }
}

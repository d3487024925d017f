import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { OwnerFile } from '@ssebench/contracts/owner-file';

/** Longest wait for an owner's answer, in milliseconds: a socket of this machine accepts at once, or nobody listens. */
const LIMIT = 2_000;

/** See `OwnerFile`. */
export const OWNER_FILE = 'owner.json';

/** Who owns the run in this directory; undefined when it doesn't say. */
export function readOwner(dir: string): OwnerFile | undefined {
  try {
    return OwnerFile.safeParse(JSON.parse(readFileSync(join(dir, OWNER_FILE), 'utf8'))).data;
  } catch {
    // No such file, or one of a version that wrote something else: nobody's that we know.
    return undefined;
  }
}

/**
 * The socket of a run's owner in its `generation`. The command that started the run is generation 0; whoever takes the
 * run over from a dead owner is the next. A socket's name is never used again, so that of several that find an owner dead only
 * one can follow it.
 */
export function ownerSocket(directory: string, generation: number): string {
  return join(directory, generation === 0 ? 'owner.sock' : `owner.${generation}.sock`);
}

/**
 * Whether a run has a live owner: the first, whose socket this is, or one who took the run over.
 * In doubt, such as for a directory that we may not read, yes.
 */
export async function ownerLives(socketPath: string): Promise<boolean> {
  return (await deadOwner(socketPath)) === undefined;
}

/** The generation of a run's youngest owner when that is dead, -1 when there never was one; undefined when it lives. */
export async function deadOwner(socketPath: string): Promise<number | undefined> {
  const directory = dirname(socketPath);
  try {
    const generation = youngestOwner(directory);
    if (generation >= 0 && (await listens(ownerSocket(directory, generation)))) return undefined;
    return generation;
  } catch {
    return undefined;
  }
}

/** @throws as `node:fs` does */
function youngestOwner(directory: string): number {
  const generations = namesIn(directory).map((name) => {
    const [found, number] = /^owner(?:\.([1-9]\d{0,8}))?\.sock$/.exec(name) ?? [];
    return found === undefined ? -1 : Number(number ?? 0);
  });
  return Math.max(-1, ...generations);
}

function listens(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const settle = (lives: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(lives);
    };
    const timer = setTimeout(settle, LIMIT, true);
    socket.once('connect', () => settle(true));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      settle(code !== 'ENOENT' && code !== 'ECONNREFUSED' && code !== 'ENOTDIR');
    });
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

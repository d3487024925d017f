import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { RunFacts } from '../run/summarize.ts';

/** Longest wait for an owner's answer, in milliseconds: a socket of this machine accepts at once, or nobody listens. */
const LIMIT = 2_000;

/** In the directory of a run that goes on, and gone when it has ended. */
export const OWNER_FILE = 'owner.json';

/** What that file holds. It is ours alone: no container can write there. */
export interface OwnerFile {
  /** Its owner listens there. */
  socket: string;
  /** The run's short host directory. */
  directory: string;
  /** What a summary needs, so that another command can write it when the owner is killed. */
  facts: RunFacts;
}

/** Who owns the run in this directory; undefined when it doesn't say. */
export function readOwner(dir: string): OwnerFile | undefined {
  try {
    const owner: OwnerFile = JSON.parse(readFileSync(join(dir, OWNER_FILE), 'utf8'));
    if (!owner.socket || !owner.directory) return undefined;
    return { ...owner, facts: { ...owner.facts, startedAt: new Date(owner.facts.startedAt) } };
  } catch {
    // No such file, or one of a version that wrote something else: nobody's that we know.
    return undefined;
  }
}

/** Whether somebody listens on an owner's socket. In doubt, such as for a socket that we may not open, yes. */
export function ownerLives(socketPath: string): Promise<boolean> {
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

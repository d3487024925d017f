import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';

/** Longest wait for an owner's answer, in milliseconds: a socket of this machine accepts at once, or nobody listens. */
const LIMIT = 2_000;

/** `owner.json` of a run that goes on. */
const OwnerFile = z.looseObject({ socket: z.string(), directory: z.string() });
export type OwnerFile = z.infer<typeof OwnerFile>;

/** Who owns the run in this directory; undefined when it doesn't say. */
export function readOwner(dir: string): OwnerFile | undefined {
  try {
    return OwnerFile.safeParse(JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8'))).data;
  } catch {
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
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      settle(code !== 'ENOENT' && code !== 'ECONNREFUSED' && code !== 'ENOTDIR'),
    );
  });
}

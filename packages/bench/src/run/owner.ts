import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../cli/errors.ts';

/** Longest path that a Unix socket can have on Linux; longer ones are cut without a word. */
const MAX_SOCKET_PATH = 107;

/**
 * The run's short host directory. As long as somebody listens on `socket`, the run has a live owner and nobody else
 * touches it. `work` and `grade` are mounted into the containers, which serve their host socket there.
 */
export interface RunOwner {
  readonly directory: string;
  readonly socket: string;
  readonly work: string;
  readonly grade: string;
  /** Gives up ownership and removes the directory. */
  release(): Promise<void>;
}

/** Where this user's runs have their short directories. */
export function ownersDirectory(): string {
  return join(process.env['XDG_RUNTIME_DIR'] ?? tmpdir(), `ssebench-${userInfo().uid}`);
}

/** @throws UserError when no directory with a short enough path can be had */
export async function claimRun(token: string): Promise<RunOwner> {
  const base = ownersDirectory();
  const directory = join(base, token);
  const socket = join(directory, 'owner.sock');
  const hostSocket = join(directory, 'grade', 'host.sock');
  if (Buffer.byteLength(hostSocket) > MAX_SOCKET_PATH) {
    throw new UserError(`${base} is too long a path for sockets; set XDG_RUNTIME_DIR to a shorter one`);
  }
  const work = join(directory, 'work');
  const grade = join(directory, 'grade');
  await mkdir(base, { recursive: true, mode: 0o700 });
  for (const path of [directory, work, grade]) await mkdir(path, { mode: 0o700 });
  const server = await listen(socket);
  return {
    directory,
    socket,
    work,
    grade,
    async release() {
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function listen(path: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

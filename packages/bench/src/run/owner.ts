import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, rm, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../cli/errors.ts';
import { deadOwner, ownerSocket } from '../results/owner.ts';

/** Longest path that a Unix socket can have on Linux; longer ones are cut without a word. */
const MAX_SOCKET_PATH = 107;

/**
 * The run's short host directory. As long as somebody listens on the socket of its youngest owner, the run has a live
 * owner and nobody else touches it. `work` and `grade` are mounted into the containers, which serve their host socket there.
 */
export interface RunOwner {
  readonly directory: string;
  /** The first owner's socket, whoever owns the run now: containers carry it. */
  readonly socket: string;
  readonly work: string;
  readonly grade: string;
  /** Gives up ownership and leaves the rest to whoever takes the run over. */
  abandon(): Promise<void>;
  /** Gives up ownership and removes the directory. */
  release(): Promise<void>;
}

/** Where this user's runs have their short directories. */
export function ownersDirectory(): string {
  return join(process.env['XDG_RUNTIME_DIR'] ?? tmpdir(), `ssebench-${userInfo().uid}`);
}

/** Makes a run's short directory and its first owner. @throws UserError when no safe directory with a short enough path can be had */
export async function claimRun(token: string): Promise<RunOwner> {
  const base = ownersDirectory();
  const directory = join(base, token);
  if (Buffer.byteLength(join(directory, 'grade', 'host.sock')) > MAX_SOCKET_PATH) {
    throw new UserError(`${base} is too long a path for sockets; set XDG_RUNTIME_DIR to a shorter one`);
  }
  await makeOwnersDirectory(base);
  await mkdir(directory, { mode: 0o700 });
  const owner = await own(directory, 0);
  if (owner) return owner;
  throw new Error(`${directory} has an owner already`);
}

/** Follows a dead owner. Undefined when the run has a live one: of several that try at the same time only one succeeds. */
export async function takeOver({
  directory,
  socket,
}: Pick<RunOwner, 'directory' | 'socket'>): Promise<RunOwner | undefined> {
  const dead = await deadOwner(socket);
  if (dead === undefined) return undefined;
  // The machine may have been started anew, and with it a directory for what must not outlast that.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Not after whoever is the youngest by now: that one may have followed the dead one before us.
  return own(directory, dead + 1);
}

async function own(directory: string, generation: number): Promise<RunOwner | undefined> {
  const work = join(directory, 'work');
  const grade = join(directory, 'grade');
  for (const path of [work, grade]) await mkdir(path, { recursive: true, mode: 0o700 });
  const server = await listen(directory, generation);
  if (!server) return undefined;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return {
    directory,
    socket: ownerSocket(directory, 0),
    work,
    grade,
    abandon: close,
    async release() {
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The name appears when somebody listens already, so that nobody finds a socket that only seems to be dead. */
async function listen(directory: string, generation: number): Promise<Server | undefined> {
  const temporary = join(directory, `${randomBytes(4).toString('hex')}.sock`);
  const server = createServer((connection) => connection.destroy());
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(temporary, resolve);
  });
  try {
    await link(temporary, ownerSocket(directory, generation));
    await unlink(temporary);
    return server;
  } catch (error) {
    server.close();
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/** The temporary directory is everybody's: somebody else may have taken the name. */
async function makeOwnersDirectory(base: string): Promise<void> {
  await mkdir(base, { recursive: true, mode: 0o700 });
  const stat = await lstat(base);
  if (stat.isDirectory() && stat.uid === userInfo().uid && (stat.mode & 0o022) === 0) return;
  throw new UserError(`${base} must be a directory of yours that nobody else can write to`);
}

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Longest that ending a user's processes may take, and the part of it that stopping them first may take. Milliseconds. */
const LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 4_000;
/** Longest that the rest of them may take to be collected after that. Milliseconds. */
const COLLECT_LIMIT_MS = 10_000;
/** So many that nobody has collected yet keep nobody from starting a process: the limit of a container is thousands. */
const FEW_ZOMBIES = 64;

export interface ProcessEnd {
  /** How many processes were found and are gone. */
  ended: number;
  /** Process ids that were still there at the end of the time, as zombies or alive. */
  survivors: number[];
}

/**
 * Ends every process whose real, effective or saved user id is one of `uids`, within {@link LIMIT_MS}.
 * Works at the pids limit: nothing is forked, the scan of `/proc` and the signals are ours. All are stopped first, until
 * two scans agree, so that none can fork away between a scan and its signals; then they are killed until none is left.
 * Zombies are nothing to end, but they take room under the pids limit: it waits until only a few are left of them, for
 * the container's init to collect. The calling process is never touched.
 * @throws RangeError for user 0 and for the caller's own.
 */
export async function endProcessesOf(
  uids: readonly number[],
  options: { signal?: AbortSignal } = {},
): Promise<ProcessEnd> {
  for (const uid of uids) {
    if (uid === 0 || uid === process.getuid?.()) throw new RangeError(`the processes of user ${uid} must not be ended`);
  }
  const wanted = new Set(uids);
  const seen = new Set<number>();
  const start = performance.now();
  const within = (limit: number) => performance.now() - start < limit && !options.signal?.aborted;

  let before = '';
  while (within(STOP_LIMIT_MS)) {
    const pids = processesOf(wanted);
    const now = pids.join();
    if (now === before) break;
    before = now;
    for (const pid of pids) send(pid, 'SIGSTOP', seen);
    await pause(0);
  }

  let left = processesOf(wanted);
  for (let round = 1; left.length > 0; round += 1) {
    for (const pid of left) send(pid, 'SIGKILL', seen);
    await pause(Math.min(2 * round, 100));
    left = processesOf(wanted);
    if (!within(LIMIT_MS)) break;
  }
  if (left.length === 0 && !options.signal?.aborted) left = await tooManyZombies(wanted);
  return { ended: seen.size - left.filter((pid) => seen.has(pid)).length, survivors: left };
}

/** Waits until a user's zombies are few. Returns none then, and all of them when time is up. */
async function tooManyZombies(uids: ReadonlySet<number>): Promise<number[]> {
  const deadline = performance.now() + COLLECT_LIMIT_MS;
  for (;;) {
    const zombies = scan(uids, isZombie);
    if (zombies.length <= FEW_ZOMBIES) return [];
    if (performance.now() > deadline) return zombies;
    await pause(10);
  }
}

/** Ids of the live processes of these users, ascending. */
export function processesOf(uids: ReadonlySet<number>): number[] {
  return scan(uids, isAlive);
}

function scan(uids: ReadonlySet<number>, isIt: (status: string) => boolean): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const status = statusOf(pid);
    if (status && isIt(status) && usersOf(status).some((uid) => uids.has(uid))) found.push(pid);
  }
  return found.sort((a, b) => a - b);
}

function isAlive(status: string): boolean {
  return !/^State:\s+[ZX]/m.test(status) || isHeadless(status);
}

function isZombie(status: string): boolean {
  return /^State:\s+Z/m.test(status) && !isHeadless(status);
}

/** A process whose first thread has ended looks like a zombie while its others go on. */
function isHeadless(status: string): boolean {
  return Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]) > 1;
}

/** `/proc/<pid>/status`; undefined when the process is gone. */
function statusOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Real, effective and saved user id. The file-system id is left out: nobody acts by it alone. */
function usersOf(status: string): number[] {
  const match = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(status);
  return match ? match.slice(1).map(Number) : [];
}

function send(pid: number, signal: NodeJS.Signals, seen: Set<number>): void {
  seen.add(pid);
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ESRCH' || code === 'ENOENT';
}

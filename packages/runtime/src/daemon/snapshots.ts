import { hash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SNAPSHOT_CAPS, SNAPSHOT_FILES, type SnapshotLine } from '@ssebench/contracts/snapshots';
import { writeFileAtomic } from '../system/atomic-file.ts';
import { messageOf } from './daemon-error.ts';
import type { EventLog } from './events.ts';
import { log } from './log.ts';
import type { Patches } from './patches.ts';

/** Each pause is longer than the one before it by this factor, so that a long run has few more snapshots than a short one. */
const GROWTH = 1.05;
/** And at least as many times longer than the look before it took: looking gets a twentieth of the time at most. */
const SHARE = 19;
const FILE_HEADER = Buffer.from('\ndiff --git ');
/** What a timer can take, in milliseconds: 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;
const EMPTY_SHA256 = hash('sha256', '');
const MAX_PROBLEM = 1000;

interface SnapshotsOptions {
  /** Of the first ones. */
  intervalSeconds: number;
  patches: Pick<Patches, 'glance'>;
  /** Where the agent's start is told. */
  events: EventLog;
  results: string;
  /** Ends it: when the agent phase does, at the latest. */
  signal: AbortSignal;
}

/**
 * Keeps the agent's patch in the results now and then while it works, whenever it has changed: one look at a time, bounded in
 * number and bytes, at the lowest priority. What goes wrong is noted and changes nothing. Never rejects.
 */
export async function keepSnapshots({ intervalSeconds, signal, ...options }: SnapshotsOptions): Promise<void> {
  try {
    // Its absence means that none were to be kept.
    await appendFile(join(options.results, SNAPSHOT_FILES.index), '');
    if (!(await agentStarts(options.events, signal))) return;
    const snapshots = new Snapshots(options);
    let tookMs = 0;
    for (let looks = 0; looks < SNAPSHOT_CAPS.count; looks += 1) {
      const pause = Math.max(intervalSeconds * 1000 * GROWTH ** looks, tookMs * SHARE);
      await delay(Math.min(pause, LONGEST_TIMER), undefined, { signal, ref: false });
      const start = performance.now();
      await snapshots.look(signal);
      tookMs = performance.now() - start;
    }
  } catch (error) {
    if (!signal.aborted) log('warn', 'No more snapshots', { reason: messageOf(error) });
  }
}

/** False when it never did. */
async function agentStarts(events: EventLog, signal: AbortSignal): Promise<boolean> {
  for await (const { event } of events.follow(0, signal)) {
    if (event.type === 'step_started' && event.step === 'agent') return true;
  }
  return false;
}

class Snapshots {
  readonly #options: Pick<SnapshotsOptions, 'patches' | 'results'>;
  readonly #start = performance.now();
  #last = EMPTY_SHA256;
  #count = 0;
  #bytes = 0;

  constructor(options: Pick<SnapshotsOptions, 'patches' | 'results'>) {
    this.#options = options;
  }

  async look(signal: AbortSignal): Promise<void> {
    const moment = { seconds: Math.round((performance.now() - this.#start) / 100) / 10, at: new Date().toISOString() };
    try {
      await this.#keep(await this.#options.patches.glance(signal, SNAPSHOT_CAPS.bytes), moment);
    } catch (error) {
      signal.throwIfAborted();
      const problem = messageOf(error).slice(0, MAX_PROBLEM);
      log('warn', 'A snapshot was not taken', { reason: problem });
      await this.#note({ ...moment, problem });
    }
  }

  async #keep(content: Buffer, moment: { seconds: number; at: string }): Promise<void> {
    const sha256 = hash('sha256', content);
    if (sha256 === this.#last) return;
    if (this.#bytes + content.length > SNAPSHOT_CAPS.total_bytes)
      throw new Error(`all snapshots together would be more than ${SNAPSHOT_CAPS.total_bytes} bytes`);
    const file = `${String(this.#count + 1).padStart(4, '0')}-${Math.floor(moment.seconds)}s.diff`;
    await writeFileAtomic(join(this.#options.results, SNAPSHOT_FILES.inResults(file)), content);
    this.#last = sha256;
    this.#count += 1;
    this.#bytes += content.length;
    await this.#note({ ...moment, file, bytes: content.length, files: filesIn(content), sha256 });
  }

  async #note(line: SnapshotLine): Promise<void> {
    await appendFile(join(this.#options.results, SNAPSHOT_FILES.index), `${JSON.stringify(line)}\n`);
  }
}

/** Of a patch: no line of content begins as a file's header does. */
function filesIn(patch: Buffer): number {
  let count = patch.subarray(0, FILE_HEADER.length - 1).equals(FILE_HEADER.subarray(1)) ? 1 : 0;
  for (let at = patch.indexOf(FILE_HEADER); at >= 0; at = patch.indexOf(FILE_HEADER, at + 1)) count += 1;
  return count;
}

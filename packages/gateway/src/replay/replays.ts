import { access } from 'node:fs/promises';
import { Replay } from './replay.ts';

/** The replays that are under way, by run. */
export class Replays {
  readonly #runs = new Map<string, Promise<Replay>>();

  /**
   * The run's replay, opened when it is not.
   * @param own the run's own recording, if it has one: it tells how far an earlier process came
   * @throws Error for a recording that can't be read
   */
  of(runId: string, recording: string, own: string | undefined): Promise<Replay> {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const opened = open(recording, own);
    this.#runs.set(runId, opened);
    opened.catch(() => this.#runs.delete(runId));
    return opened;
  }

  async close(runId: string): Promise<void> {
    const replay = this.#runs.get(runId);
    this.#runs.delete(runId);
    await (await replay)?.[Symbol.asyncDispose]();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((runId) => this.close(runId)));
  }
}

async function open(recording: string, own: string | undefined): Promise<Replay> {
  const replay = await Replay.open(recording);
  if (own !== undefined && (await isThere(own))) await replay.goOnAfter(own);
  return replay;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

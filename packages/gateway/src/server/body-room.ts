import type { ServerResponse } from 'node:http';

/** What the bodies of a run's requests take that are not answered yet: within a limit, whatever the run's clients send. */
export class BodyRoom {
  readonly #most: number;
  readonly #held = new Map<string, number>();

  /** @param most bytes for one run */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes room for pieces of one request's body until its response is closed; false: there is none. */
  for(runId: string, response: ServerResponse): (bytes: number) => boolean {
    let taken = 0;
    response.on('close', () => {
      const left = (this.#held.get(runId) ?? 0) - taken;
      if (left > 0) this.#held.set(runId, left);
      else this.#held.delete(runId);
      taken = 0;
    });
    return (bytes) => {
      const held = (this.#held.get(runId) ?? 0) + bytes;
      if (held > this.#most || response.closed) return false;
      this.#held.set(runId, held);
      taken += bytes;
      return true;
    };
  }
}

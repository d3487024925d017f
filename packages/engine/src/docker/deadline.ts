/** What a call may take, in milliseconds. */
export interface Limit {
  /** From its begin to its end. */
  totalMs?: number | undefined;
  /** Without any byte in either direction. */
  idleMs?: number | undefined;
}

/** The end of a call: a limit of its own or the caller's signal, whichever comes first. Release it when the call is over. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #clock = new AbortController();
  readonly #total: NodeJS.Timeout | undefined;
  #idleMs: number | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ totalMs, idleMs }: Limit, signal: AbortSignal) {
    this.signal = AbortSignal.any([this.#clock.signal, signal]);
    if (totalMs !== undefined) this.#total = this.#expireIn(totalMs, `not done within ${inSeconds(totalMs)}`);
    this.allowIdle(idleMs);
  }

  /** What ended the call; `undefined` while nothing has. */
  get cause(): { code: 'timeout'; detail: string } | { code: 'aborted' } | undefined {
    if (!this.signal.aborted) return undefined;
    const { reason } = this.signal;
    return reason instanceof Expired ? { code: 'timeout', detail: reason.message } : { code: 'aborted' };
  }

  /** Sets another idle limit, or none, from now on. */
  allowIdle(milliseconds: number | undefined): void {
    this.#idleMs = milliseconds;
    this.progress();
  }

  /** A byte has passed: the idle time starts anew. */
  progress(): void {
    this.pause();
    if (this.#idleMs === undefined) return;
    this.#idle = this.#expireIn(this.#idleMs, `no answer from the container engine within ${inSeconds(this.#idleMs)}`);
  }

  /** The idle time stops until the next progress: it is not the engine that we wait for. */
  pause(): void {
    clearTimeout(this.#idle);
  }

  release(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
  }

  #expireIn(milliseconds: number, words: string): NodeJS.Timeout {
    return setTimeout(() => this.#clock.abort(new Expired(words)), milliseconds);
  }
}

class Expired extends Error {}

function inSeconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

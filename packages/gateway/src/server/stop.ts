/**
 * Tells a call to stop, once. What an `AbortController` with its signal does, which costs a small request as much as its
 * prices: every call has one, and hardly any is stopped.
 */
export class Stop {
  #stopped = false;
  #listeners: (() => void)[] = [];

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Calls it when this is stopped; never, if it is already. */
  on(listener: () => void): void {
    this.#listeners.push(listener);
  }

  off(listener: () => void): void {
    const at = this.#listeners.lastIndexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }
}

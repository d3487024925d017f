/** Runs jobs one after another, in the order they were handed in. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * The result of `job`, which starts when all earlier ones are over. A job whose signal is aborted before its turn
   * never starts.
   * @throws what the job throws, or the signal's reason
   */
  run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      return job();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** The calls that are under way, by run: to end them with the run, and to wait for one that ends. */
export class LiveCalls {
  readonly #runs = new Map<string, { calls: Map<AbortController, Promise<void>>; waiting: Set<() => void> }>();

  #run(runId: string) {
    const run = this.#runs.get(runId) ?? { calls: new Map(), waiting: new Set() };
    this.#runs.set(runId, run);
    return run;
  }

  get count(): number {
    return [...this.#runs.values()].reduce((sum, { calls }) => sum + calls.size, 0);
  }

  /** Runs `call` as one of the run's; its signal aborts with the run, or with `abort` of the controller. */
  async track(runId: string, controller: AbortController, call: () => Promise<void>): Promise<void> {
    const { calls } = this.#run(runId);
    const done = Promise.withResolvers<void>();
    calls.set(controller, done.promise);
    try {
      await call();
    } finally {
      calls.delete(controller);
      done.resolve();
      this.callEnded(runId);
      if (calls.size === 0 && this.#runs.get(runId)?.waiting.size === 0) this.#runs.delete(runId);
    }
  }

  /** Lets every call that waits for the run's money or its turn try again, first come first. */
  callEnded(runId: string): void {
    const waiting = [...(this.#runs.get(runId)?.waiting ?? [])];
    for (const wake of waiting) wake();
  }

  /** Resolves when a call of the run has ended, or `signal` aborts. */
  nextEnd(runId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const { waiting } = this.#run(runId);
    return new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** Aborts the calls of a run; resolves when all are settled. */
  async abort(runId: string): Promise<void> {
    const calls = [...(this.#runs.get(runId)?.calls ?? [])];
    for (const [controller] of calls) controller.abort();
    await Promise.all(calls.map(([, done]) => done));
  }

  async abortAll(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((runId) => this.abort(runId)));
  }
}

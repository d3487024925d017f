import type { Stop } from './stop.ts';

interface LiveRun {
  /** Each with what resolves when it has ended. */
  readonly calls: Map<Stop, Promise<void>>;
  readonly waiting: Set<() => void>;
}

/** The calls that are under way, by run: to end them with the run, and to wait for one that ends. */
export class LiveCalls {
  readonly #runs = new Map<string, LiveRun>();

  #run(runId: string): LiveRun {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const run: LiveRun = { calls: new Map(), waiting: new Set() };
    this.#runs.set(runId, run);
    return run;
  }

  get count(): number {
    return [...this.#runs.values()].reduce((sum, { calls }) => sum + calls.size, 0);
  }

  /** Runs `call` as one of the run's: `stop` is stopped with the run. */
  async track(runId: string, stop: Stop, call: () => Promise<void>): Promise<void> {
    const run = this.#run(runId);
    const ended = Promise.withResolvers<void>();
    run.calls.set(stop, ended.promise);
    try {
      await call();
    } finally {
      run.calls.delete(stop);
      ended.resolve();
      // Those that wait for the run's money or their turn try again, first come first.
      if (run.waiting.size > 0) for (const wake of [...run.waiting]) wake();
      if (run.calls.size === 0 && run.waiting.size === 0) this.#runs.delete(runId);
    }
  }

  /** Resolves when a call of the run has ended, `stop` is stopped, or after so many milliseconds. */
  nextEnd(runId: string, stop: Stop, ms: number): Promise<void> {
    if (stop.stopped) return Promise.resolve();
    const { waiting } = this.#run(runId);
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        stop.off(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      waiting.add(wake);
      stop.on(wake);
    });
  }

  /** Stops the calls of a run; resolves when all are settled. */
  async abort(runId: string): Promise<void> {
    const calls = [...(this.#runs.get(runId)?.calls ?? [])];
    for (const [stop] of calls) stop.stop();
    await Promise.all(calls.map(([, ended]) => ended));
  }

  async abortAll(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((runId) => this.abort(runId)));
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A program beside the benchmark, in a process of its own, that does one thing asked of it at a time. */
export class Worker<Order, Result> implements AsyncDisposable {
  readonly #child: ChildProcess;

  /** @param program a module that calls `serveOrders` */
  constructor(program: URL) {
    this.#child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** @throws Error when the process ends instead */
  ask(order: Order): Promise<Result> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${this.#child.spawnargs.at(-1)} ended`));
      this.#child.once('exit', ended);
      this.#child.once('message', (result) => {
        this.#child.off('exit', ended);
        resolve(result as Result);
      });
      this.#child.send(order as object);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}

/** The other side of a `Worker`. Ends with it. */
export function serveOrders<Order, Result>(work: (order: Order) => Result | Promise<Result>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (order) => {
    void Promise.resolve(work(order as Order)).then((result) => process.send?.(result));
  });
}

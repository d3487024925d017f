import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Reads what is gone meanwhile as nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * The most that our own processes took at a time, in each container that there was and in the command on the host: proportional set
 * size in MB, looked at every 20 ms. Needs root.
 */
export class MemoryWatch implements Disposable {
  readonly #peaks = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  /** `command`: its process. Whatever runs in containers by then is not looked at. */
  constructor(command: number | undefined) {
    const before = new Set(ownProcesses().map(({ container }) => container));
    this.#timer = setInterval(() => {
      const sums = new Map<string, number>();
      const add = (what: string, kilobytes: number) => sums.set(what, (sums.get(what) ?? 0) + kilobytes);
      for (const { pid, container } of ownProcesses()) if (!before.has(container)) add(container, pss(pid));
      if (command) add('command', pss(String(command)));
      for (const [what, sum] of sums) this.#peaks.set(what, Math.max(sum, this.#peaks.get(what) ?? 0));
    }, 20);
  }

  /** `containers`: in the order in which they came. */
  get peaks(): { command: number; containers: number[] } {
    const mb = (kilobytes: number | undefined) => Math.round((kilobytes ?? 0) / 102.4) / 10;
    const containers = [...this.#peaks].filter(([what]) => what !== 'command').map(([, peak]) => mb(peak));
    return { command: mb(this.#peaks.get('command')), containers };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function ownProcesses(): { pid: string; container: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).startsWith('/opt/ssebench/'))
    .flatMap((pid) => {
      try {
        return [{ pid, container: readlinkSync(`/proc/${pid}/ns/pid`) }];
      } catch {
        return [];
      }
    });
}

function pss(pid: string): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

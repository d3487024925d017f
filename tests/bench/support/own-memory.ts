import { readdirSync, readFileSync } from 'node:fs';

/** Reads what is gone meanwhile as nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * The most that our own processes took at a time, in each container of a run and in the command on the host: proportional set size
 * in MB, looked at every 20 ms. Needs root.
 */
export class MemoryWatch implements Disposable {
  readonly #peaks = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  /** `command`: its process. `results`: the directory below which the containers' results lie on the host. */
  constructor(command: number | undefined, results: string) {
    this.#timer = setInterval(() => {
      const sums = new Map<string, number>();
      const add = (what: string, kilobytes: number) => sums.set(what, (sums.get(what) ?? 0) + kilobytes);
      for (const { pid, container } of ownProcesses(results)) add(container, pss(pid));
      if (command) add('command', pss(String(command)));
      for (const [what, sum] of sums) this.#peaks.set(what, Math.max(sum, this.#peaks.get(what) ?? 0));
    }, 20);
  }

  get peaks(): Record<'work' | 'grade' | 'command', number> {
    const mb = (what: string) => Math.round((this.#peaks.get(what) ?? Number.NaN) / 102.4) / 10;
    return { work: mb('work'), grade: mb('grade'), command: mb('command') };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Which container a process is in is told by what is mounted there; numbers of namespaces come again. */
function ownProcesses(results: string): { pid: string; container: 'work' | 'grade' }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).startsWith('/opt/ssebench/'))
    .flatMap((pid) => {
      const mounts = read(`/proc/${pid}/mountinfo`)
        .split('\n')
        .filter((line) => line.includes(`${results}/`));
      const container = (['work', 'grade'] as const).find((role) => mounts.some((line) => line.includes(`/${role} `)));
      return container ? [{ pid, container }] : [];
    });
}

function pss(pid: string): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

import { readdirSync, readFileSync } from 'node:fs';

/** What all threads of a process have had of the processors so far. Microseconds. Source: Documentation/scheduler/sched-stats of Linux. */
export function cpuTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
}

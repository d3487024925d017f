import { readFileSync, writeFileSync } from 'node:fs';

/** Of a process' own user, or root. Megabytes. */
export function peakMemory(pid: number): number {
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
}

/** From here on `peakMemory` tells the most since now. Source: proc_pid_clear_refs(5). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Its share of what it has in memory. Megabytes. */
export function proportionalMemory(pid: number): number {
  return Math.round(Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024);
}

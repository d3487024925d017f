import { loadavg } from 'node:os';

/** Prints what was measured, a line for each, and in the end one JSON object of all, with the machine's load as it was. */
export function report(figures: Readonly<Record<string, unknown>>): void {
  const all = { ...figures, load: loadavg().map(round) };
  for (const [name, value] of Object.entries(all)) process.stdout.write(`${name}: ${JSON.stringify(value)}\n`);
  process.stdout.write(`${JSON.stringify(all)}\n`);
}

/** How long the work takes, in whole milliseconds: the median of `repeats`. */
export async function medianOf(repeats: number, work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < repeats; index++) times.push(await timeOf(work));
  return Math.round(median(times));
}

/** In milliseconds. */
export async function timeOf(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** To two places. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

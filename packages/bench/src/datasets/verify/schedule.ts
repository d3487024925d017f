import type { Task } from '../../config/tasks.ts';

/** Tasks in the order in which they are tried: round-robin over the projects, the one with the most tasks first. Source: spec/host §5.2. */
export function inTurns<T extends { task: Pick<Task, 'config'> }>(subjects: readonly T[]): T[] {
  const byProject = Map.groupBy(subjects, ({ task }) => task.config.project);
  const groups = [...byProject.values()].sort((a, b) => b.length - a.length);
  const longest = groups[0]?.length ?? 0;
  return Array.from({ length: longest }, (_, turn) => groups.flatMap((group) => group[turn] ?? [])).flat();
}

/** Lets `work` run for each item, at most `width` at a time, in their order. Begins none any more once `signal` is aborted. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, worker));
}

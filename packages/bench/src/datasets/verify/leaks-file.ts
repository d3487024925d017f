import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../results/atomic-write.ts';
import type { TaskImages, TaskLeaks } from '../leaks/scan-task.ts';

function pathOf(output: string, task: string): string {
  return join(output, 'leaks', `${task}.json`);
}

/** What was found in just these images; undefined when they were not searched. */
export function readLeaks(output: string, task: string, images: TaskImages | undefined): TaskLeaks | undefined {
  const path = pathOf(output, task);
  if (!images || !existsSync(path)) return undefined;
  const found = JSON.parse(readFileSync(path, 'utf8')) as TaskLeaks;
  return found.images.case === images.case && found.images.work === images.work ? found : undefined;
}

export async function writeLeaks(output: string, task: string, leaks: TaskLeaks): Promise<void> {
  const path = pathOf(output, task);
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, `${JSON.stringify(leaks, null, 2)}\n`);
}

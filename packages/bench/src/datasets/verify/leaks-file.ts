import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../results/atomic-write.ts';
import { type TaskImages, TaskLeaks } from '../leaks/scan-task.ts';

function pathOf(output: string, task: string): string {
  return join(output, 'leaks', `${task}.json`);
}

/** What makes a search good for these images: another version may look for other passages. */
interface Searched {
  images: TaskImages | undefined;
  version: string;
}

const LeaksFile = TaskLeaks.extend({ version: z.string() });

/** What this version found in just these images; undefined when it did not search them, or when what it wrote can't be read. */
export function readLeaks(output: string, task: string, { images, version }: Searched): TaskLeaks | undefined {
  const path = pathOf(output, task);
  if (!images || !existsSync(path)) return undefined;
  const file = LeaksFile.safeParse(parse(readFileSync(path, 'utf8'))).data;
  const isOfThese = file?.version === version && file.images.case === images.case && file.images.work === images.work;
  return isOfThese ? file : undefined;
}

export async function writeLeaks(output: string, task: string, leaks: TaskLeaks, version: string): Promise<void> {
  const path = pathOf(output, task);
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, `${JSON.stringify({ version, ...leaks }, null, 2)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever spoiled it, the images are searched again.
    return undefined;
  }
}

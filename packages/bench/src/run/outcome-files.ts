import { constants, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckRecord, ChecksFile } from '@ssebench/contracts/checks';
import { Fault, fault } from '@ssebench/contracts/faults';
import { EvaluatorResult } from '@ssebench/contracts/result';
import { WorkOutcome } from '@ssebench/contracts/work-outcome';
import type { z } from 'zod';

/** Largest document that we read from a container's results. Bytes; a grade holds the output of one check, 2 MiB at most. */
const MAX_DOCUMENT = 32 * 1024 * 1024;

/** How the agent phase ended, as the work container left it; undefined when it left nothing. */
export function readWorkOutcome(directory: string): Promise<WorkOutcome | undefined> {
  return readDocument(join(directory, 'work.json'), WorkOutcome);
}

/** What the grade container left. Without a result there is always a fault. */
export interface GradeOutcome {
  result: EvaluatorResult | undefined;
  checks: CheckRecord[];
  fault: Fault | null;
}

export async function readGradeOutcome(directory: string): Promise<GradeOutcome> {
  const result = await readDocument(join(directory, 'result.json'), EvaluatorResult);
  const checks = (await readDocument(join(directory, 'checks.json'), ChecksFile)) ?? [];
  const told = await readDocument(join(directory, 'grade-fault.json'), Fault);
  const missing = result ? null : fault('no_result', 'the grade container left no result.json');
  return { result, checks, fault: told ?? missing };
}

/** A regular file that holds a valid document; anything else counts as not there. */
async function readDocument<T extends z.ZodType>(path: string, schema: T): Promise<z.infer<T> | undefined> {
  const bytes = await readRegularFile(path, MAX_DOCUMENT);
  if (!bytes) return undefined;
  try {
    return schema.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The bytes of a regular file of at most `maxBytes`, never through a link and never from a FIFO. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size, isFile } = await handle.stat().then((found) => ({ size: found.size, isFile: found.isFile() }));
    return isFile && size <= maxBytes ? await readFile(handle) : undefined;
  } finally {
    await handle.close();
  }
}

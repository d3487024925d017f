import { constants, open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CheckRecord, ChecksFile } from '@ssebench/contracts/checks';
import { Fault, fault } from '@ssebench/contracts/faults';
import { gradeOf } from '@ssebench/contracts/grade';
import { Integrity } from '@ssebench/contracts/integrity';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import { EvaluatorResult } from '@ssebench/contracts/result';
import { WorkOutcome } from '@ssebench/contracts/work-outcome';
import type { z } from 'zod';

/** Largest document that we read from a container's results. Bytes; a grade holds the output of one check, 2 MiB at most. */
const MAX_DOCUMENT = 32 * 1024 * 1024;

/** How the agent phase ended, as the work container left it; undefined when it left nothing. */
export function readWorkOutcome(directory: string): Promise<WorkOutcome | undefined> {
  return readDocument(join(directory, RESULT_FILE.work), WorkOutcome);
}

/** What was left of grading. Without a verdict there is always a fault. */
export interface GradeOutcome {
  result: EvaluatorResult | undefined;
  checks: CheckRecord[];
  /** Null when the container did not come to tell. */
  integrity: Integrity | null;
  fault: Fault | null;
}

/**
 * The grade that a container left in its results. Where it could not finish one, a check that failed by then makes the
 * grade `failed` all the same, whatever ended the container (design §5).
 */
export async function readGradeOutcome(directory: string): Promise<GradeOutcome> {
  const result = await readDocument(join(directory, RESULT_FILE.grade), EvaluatorResult);
  const checks = (await readDocument(join(directory, RESULT_FILE.checks), ChecksFile)) ?? [];
  const integrity = (await readDocument(join(directory, RESULT_FILE.integrity), Integrity)) ?? null;
  const told = await readDocument(join(directory, RESULT_FILE.gradeFault), Fault);
  if (result) return { result, checks, integrity, fault: told ?? null };
  const failed = checks.find(({ outcome }) => outcome !== 'passed');
  if (!failed) {
    const missing = fault('no_result', 'the grade container left no result.json', { phase: 'grading' });
    return { result: undefined, checks, integrity, fault: told ?? missing };
  }
  const log =
    failed.log === null ? undefined : await readRegularFile(join(directory, basename(failed.log)), MAX_DOCUMENT);
  const output = log?.toString('utf8') ?? '';
  return {
    result: { patch_result: gradeOf(checks.map((record) => ({ record, output }))), runtime_result: UNKNOWN },
    checks,
    integrity,
    fault: null,
  };
}

/** What a container that ended early did not tell; the work container's own record says more. */
const UNKNOWN = { agent_duration: 0, agent_timeout: false, evaluator_timeout: false, agent_exit_code: null } as const;

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

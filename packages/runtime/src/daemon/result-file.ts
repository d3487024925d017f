import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluationResult } from '@ssebench/contracts/daemon-api';
import { PatchResult, RuntimeResult } from '@ssebench/contracts/result';
import { z } from 'zod';

/** Only the documented fields are passed on, whatever else the file holds. */
const Documented = z.object({ patch_result: PatchResult.strip(), runtime_result: RuntimeResult.strip() });

/** The grade in `result.json`; not available when the file is missing, blank, or not what the evaluator writes. */
export async function readResult(results: string): Promise<EvaluationResult> {
  let text: string;
  try {
    text = await readFile(join(results, 'result.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return { available: false };
    throw error;
  }
  const parsed = Documented.safeParse(jsonOf(text));
  return parsed.success ? { available: true, ...parsed.data } : { available: false };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StrictStatus } from '@ssebench/contracts/integrity';
import { RunId } from '@ssebench/contracts/run-id';
import { Summary } from '@ssebench/contracts/summary';
import { z } from 'zod';

/** A summary is far smaller; what is larger is not one. Source: spec/host §1.6. */
const MAX_BYTES = 8 * 1024 * 1024;

/** What any version's `summary.json` has and what we list by. */
const ListedSummary = z.looseObject({
  task: z.looseObject({ id: z.string() }),
  config: z
    .looseObject({
      agent: z.string().nullish(),
      model: z.string().nullish(),
      mode: z.string().nullish(),
      reference_run: z.boolean().nullish(),
    })
    .nullish(),
  patch_result: z.looseObject({ status: z.string().nullish() }).nullish(),
  /** Other tools and earlier versions write none. */
  integrity: z
    .looseObject({ strict: z.looseObject({ status: StrictStatus }) })
    .nullish()
    .catch(null),
  run_id: RunId.nullish(),
  started_at: z.string().nullish(),
});
export type ListedSummary = z.infer<typeof ListedSummary>;

/** The document in `<dir>/summary.json`; undefined when it is none that can be listed. Links are not followed. */
export function readListedSummary(dir: string): ListedSummary | undefined {
  return ListedSummary.safeParse(readDocument(dir)).data;
}

/** The same when it has everything that this version writes. */
export function readFullSummary(dir: string): Summary | undefined {
  return Summary.safeParse(readDocument(dir)).data;
}

function readDocument(dir: string): unknown {
  const path = join(dir, 'summary.json');
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  } catch {
    // Whatever it is, it can't be listed as a run; other tools may write here, too.
    return undefined;
  }
}

import type { AbandonedRun } from '../gc/abandoned-runs.ts';

/** What a person reads when runs of a results folder wait for somebody to bring them to their end. */
export function abandonedNotice(runs: readonly AbandonedRun[], resultsDir: string): string | undefined {
  const [first] = runs;
  if (!first) return undefined;
  const some =
    runs.length === 1
      ? `run ${first.owner.run_id} lost its command and has not ended`
      : `${runs.length} runs lost their command and have not ended`;
  const where = resultsDir === 'results' ? '' : ` --dir ${resultsDir}`;
  return `${some}; to collect what is there: ssebench runs recover${where}`;
}

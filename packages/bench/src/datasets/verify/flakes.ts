import type { CheckRecord } from '@ssebench/contracts/checks';
import { type Attempt, isGraded } from './attempt.ts';

/** A check that did not always end in the same way under the same control, files and version. */
export interface Flake {
  dataset: string;
  task: string;
  control: string;
  check: CheckRecord['check'];
  poc: string | null;
  /** How often it ended how, such as `{passed: 4, failed: 1}`. `not run`: a check before it ended the grade. */
  outcomes: Record<string, number>;
  /** Of these, how many while other runs went on. */
  together: Record<string, number>;
  files_sha256: string;
  version: string;
  /** When the first and the last of these attempts began. */
  first: string;
  last: string;
}

const NOT_RUN = 'not run';

/** Every flaky check among these attempts, which may be of any time. Attempts that were not graded say nothing. */
export function flakesOf(attempts: readonly Attempt[]): Flake[] {
  const sets = Map.groupBy(attempts.filter(isGraded), ({ dataset, task, control, files_sha256, version }) =>
    JSON.stringify([dataset, task, control, files_sha256, version]),
  );
  return [...sets.values()].flatMap(flakesOfOne);
}

function flakesOfOne(attempts: readonly Attempt[]): Flake[] {
  const [any] = attempts;
  if (!any) return [];
  const times = attempts.map(({ started_at }) => started_at).sort();
  const keys = new Map(attempts.flatMap(({ checks }) => checks.map((record) => [keyOf(record), record] as const)));
  return [...keys].flatMap(([key, { check, poc }]) => {
    const outcome = ({ checks }: Attempt) => checks.find((record) => keyOf(record) === key)?.outcome ?? NOT_RUN;
    const outcomes = count(attempts.map(outcome));
    if (Object.keys(outcomes).length < 2) return [];
    const { dataset, task, control, files_sha256, version } = any;
    return [
      {
        ...{ dataset, task, control, check, poc, outcomes },
        together: count(attempts.filter((attempt) => attempt.together).map(outcome)),
        ...{ files_sha256, version, first: times[0] ?? '', last: times.at(-1) ?? '' },
      },
    ];
  });
}

function keyOf({ check, poc }: CheckRecord): string {
  return JSON.stringify([check, poc]);
}

function count(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

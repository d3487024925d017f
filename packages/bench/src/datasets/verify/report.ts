import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import type { CheckName } from '@ssebench/contracts/difficulty';
import { checksOf } from '@ssebench/contracts/task-config';
import type { RecordedTests, TaskExpect } from '@ssebench/contracts/task-expect';
import type { Task } from '../../config/tasks.ts';
import { leakSentence, type TaskLeaks } from '../leaks/scan-task.ts';
import { type Attempt, isGraded } from './attempt.ts';
import type { Control } from './controls.ts';
import { type Flake, flakesOf } from './flakes.ts';
import { logPath } from './run-control.ts';
import { missingOf, testsOf } from './test-list.ts';
import { type Cell, weigh } from './weigh.ts';

/** What is to be proven of a task, and with what. */
export interface Subject {
  task: Task;
  controls: readonly Control[];
  expect: TaskExpect;
  recorded: RecordedTests | null;
  /** The image that its own is built on. */
  base: string;
}

/** `<output>/tasks/<task>.json`. Source: spec/host §5.4; what is not there is ours. */
export interface TaskReport {
  task: string;
  dataset: string;
  base: string;
  checks: CheckName[];
  pocs: number;
  ok: boolean;
  /** Of the newest attempt of each control, one decimal. */
  seconds: number;
  failures: string[];
  warnings: string[];
  files_sha256: string;
  /** By control. */
  runs: Record<string, ControlReport>;
  /** What passed under the reference; null when the task names no form of test output. */
  tests: RecordedTests | null;
  flakes: Flake[];
  /** Null when its images were not searched. */
  leaks: TaskLeaks | null;
}

interface ControlReport {
  agent: string;
  exit_code: number | null;
  seconds: number;
  /** Relative to the output folder. */
  log: string;
  result: Attempt['result'];
  /** How often it was tried, and how often that came to a grade. */
  attempts: number;
  graded: number;
  image: string | null;
  cells: Record<CheckName, Cell>;
  failures: string[];
  warnings: string[];
}

/**
 * What the attempts prove of a task. Only the last of those that were not graded counts, and only when none of its round was; all that
 * were graded do.
 * @param attempts those of this task, for its files as they are
 */
export function reportOf(
  subject: Subject,
  attempts: readonly Attempt[],
  { output, digest, leaks }: { output: string; digest: string; leaks: TaskLeaks | undefined },
): TaskReport {
  const { task, controls, recorded, expect } = subject;
  const runs: Record<string, ControlReport> = {};
  const failures: string[] = [];
  for (const control of controls) {
    const own = attempts.filter((attempt) => attempt.control === control.name);
    const report = reportOnControl(control, own, subject, output);
    if (report) runs[control.name] = report;
    failures.push(...(report?.failures ?? [`${control.name} was not run`]));
  }
  const images = new Set(Object.values(runs).flatMap(({ image }) => image ?? []));
  if (images.size > 1)
    failures.push('its controls graded different case images: it was built anew between them; verify it with --anew');
  const flakes = flakesOf(attempts);
  failures.push(
    ...flakes.map(flakeSentence),
    ...(leaks?.leaks.map(leakSentence) ?? ['its images were not searched for answers']),
  );
  const tests = testsUnderReference(expect, attempts, output);
  return {
    task: task.id,
    dataset: task.dataset,
    base: subject.base,
    checks: checksOf(task.config),
    pocs: task.config.files.poc?.length ?? 0,
    ok: failures.length === 0,
    seconds: Math.round(Object.values(runs).reduce((sum, { seconds }) => sum + seconds, 0) * 10) / 10,
    failures,
    warnings: [...warningsOn(subject, recorded), ...leakWarnings(task.id, leaks)],
    files_sha256: digest,
    runs,
    tests,
    flakes,
    leaks: leaks ?? null,
  };
}

function reportOnControl(
  control: Control,
  attempts: readonly Attempt[],
  { task, expect, recorded }: Subject,
  output: string,
): ControlReport | undefined {
  const last = attempts.at(-1);
  if (!last) return undefined;
  const counted = [...Map.groupBy(attempts, ({ round }) => round).values()].flatMap((round) => {
    const graded = round.filter(isGraded);
    return graded.length > 0 ? graded : round.slice(-1);
  });
  const failures = new Set<string>();
  for (const attempt of counted) {
    const outputOf = readOutput(output, attempt);
    const weighed = weigh(control, attempt, { config: task.config, expect, output: outputOf });
    for (const failure of weighed.failures) failures.add(failure);
    if (control.kind === 'reference' && expect.tests && recorded && isGraded(attempt)) {
      for (const { check, missing } of missingOf(recorded, testsOf(expect.tests, attempt.checks, outputOf)))
        failures.add(missingSentence(check, missing));
    }
  }
  // The worst is shown: a control that failed once in five has not passed.
  const shown =
    counted.findLast((attempt) => failuresOf(control, attempt, { task, expect, output }).length > 0) ?? last;
  return {
    agent: control.name,
    exit_code: last.exit_code,
    seconds: last.seconds,
    log: logPath(task.id, control.name),
    result: shown.result,
    attempts: attempts.length,
    graded: attempts.filter(isGraded).length,
    image: last.image,
    cells: weigh(control, shown, { config: task.config, expect, output: readOutput(output, shown) }).cells,
    failures: [...failures],
    warnings: [],
  };
}

function failuresOf(
  control: Control,
  attempt: Attempt,
  { task, expect, output }: Pick<Subject, 'task' | 'expect'> & { output: string },
): string[] {
  return weigh(control, attempt, { config: task.config, expect, output: readOutput(output, attempt) }).failures;
}

function warningsOn({ task, expect, controls }: Subject, recorded: RecordedTests | null): string[] {
  const warnings: string[] = [];
  const pocs = (task.config.files.poc ?? []).filter((poc) => expect.pocs[poc] === undefined);
  if (pocs.length > 0)
    warnings.push(`sse/expect.yaml does not say what ${pocs.join(', ')} print${pocs.length === 1 ? 's' : ''}`);
  if (task.config.scripts.test && !expect.tests) warnings.push('sse/expect.yaml does not say how tests are named');
  else if (expect.tests && !recorded) warnings.push('its tests are not recorded: dataset verify --record');
  const lacking = (['revert', 'mask'] as const).filter((kind) => !controls.some((control) => control.kind === kind));
  if (lacking.length > 0) warnings.push(`it has no ${lacking.join(' and no ')} control`);
  return warnings;
}

function leakWarnings(task: string, leaks: TaskLeaks | undefined): string[] {
  if (!leaks) return [];
  const short = leaks.passages > 0 ? [] : ['its answers are too short to be searched for'];
  const [first] = leaks.unread;
  if (!first) return short;
  const places = new Set(leaks.unread.map(({ path }) => path)).size;
  const example = `${first.path} (${first.reason})`;
  return [...short, `${places} files of its images could not be searched: ${example}; see leaks/${task}.json`];
}

/** The tests that passed in every graded run of the reference. */
function testsUnderReference(
  { tests }: TaskExpect,
  attempts: readonly Attempt[],
  output: string,
): RecordedTests | null {
  const references = attempts.filter((attempt) => attempt.control === 'reference' && isGraded(attempt));
  if (!tests || references.length === 0) return null;
  const all = references.map((attempt) => testsOf(tests, attempt.checks, readOutput(output, attempt)));
  const common = (check: keyof RecordedTests) =>
    all
      .map((names) => names[check])
      .reduce((some, names) => some?.filter((name) => names?.includes(name) ?? true) ?? names);
  return { function_test: common('function_test'), intent_test: common('intent_test') };
}

/** Reads the log of a check from the run's directory. */
function readOutput(output: string, attempt: Attempt): (check: CheckRecord) => string | undefined {
  return ({ log }) => {
    if (log === null) return undefined;
    try {
      return readFileSync(join(output, attempt.run, log), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
}

function missingSentence(check: string, missing: readonly string[]): string {
  const [first, second, third, ...more] = missing;
  const names = [first, second, third].filter((name) => name !== undefined).join(', ');
  const rest = more.length > 0 ? ` and ${more.length} more` : '';
  return `reference: recorded tests did not run and pass in ${check}: ${names}${rest}`;
}

function flakeSentence({ control, check, poc, outcomes }: Flake): string {
  const counts = Object.entries(outcomes).map(([outcome, times]) => `${times} times ${outcome}`);
  return `${control}: ${poc ?? check} is flaky: ${counts.join(', ')}`;
}

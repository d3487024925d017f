import { resolve } from 'node:path';
import type { Task } from '../../config/tasks.ts';
import { scanTask, unsearchedSentence } from '../../datasets/leaks/scan-task.ts';
import { AttemptsFile } from '../../datasets/verify/attempts-file.ts';
import { flakesOf } from '../../datasets/verify/flakes.ts';
import { recordTests } from '../../datasets/verify/record-tests.ts';
import type { Subject, TaskReport } from '../../datasets/verify/report.ts';
import type { Conditions, Job } from '../../datasets/verify/run-control.ts';
import { selectTasks } from '../../datasets/verify/select-tasks.ts';
import { subjectsOf } from '../../datasets/verify/subjects.ts';
import { reportOn, type VerifyOptions, verifyTasks } from '../../datasets/verify/verify.ts';
import { time, writeSummary, writeTaskReport } from '../../datasets/verify/write-report.ts';
import { ensureRuntime } from '../../images/ensure.ts';
import { runtimeIdentity } from '../../images/runtime.ts';
import { createProgress } from '../../progress/create-progress.ts';
import { openHost, withEngine } from '../host.ts';
import { imageContext } from '../image-context.ts';
import { guardInterrupts } from '../interrupt.ts';
import { parseCount } from '../option-values.ts';
import { print, printJson, warn } from '../output.ts';
import { VERSION } from '../version.ts';

export interface DatasetVerifyOptions {
  dir?: string[];
  changedSince?: string;
  list?: boolean;
  jobs: string;
  output: string;
  repeat: string;
  retries: string;
  anew?: boolean;
  record?: boolean;
  summarize?: boolean;
  model: string;
  difficulty: string;
  timeout: string;
}

const INTERRUPTED = 130;
const MOST = 1000;

/**
 * `ssebench dataset verify`. Status 1 when a selected task does not grade as expected. Source: spec/host §5.
 * @throws UserError before anything has started
 */
export async function datasetVerify(ids: readonly string[], options: DatasetVerifyOptions): Promise<number> {
  const host = openHost();
  const jobs = parseCount('--jobs', options.jobs, 1, MOST);
  const repeat = parseCount('--repeat', options.repeat, 1, MOST);
  const retries = parseCount('--retries', options.retries, 0, MOST);
  const tasks = await selectTasks(ids, { home: host.home, dirs: options.dir, changedSince: options.changedSince });
  const subjects = subjectsOf(tasks, host.settings.registry);
  if (options.list) return list(subjects);
  const conditions: Conditions = {
    output: resolve(options.output),
    home: host.home,
    command: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    version: VERSION,
    model: options.model,
    difficulty: options.difficulty,
    timeout: options.timeout,
  };
  const attempts = AttemptsFile.open(conditions.output);
  let interrupted = false;
  if (!options.summarize) {
    guardInterrupts();
    const stop = new AbortController();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort(name));
    const { signal } = stop;
    await withEngine(async (engine) => {
      const context = imageContext(host, engine, { progress: createProgress(), signal });
      const scan: VerifyOptions['scan'] = async ({ config }, images) => {
        // The runs have made it, which may be long ago: another version's run, or gc, takes old ones away.
        const runtime = await runtimeIdentity(context);
        await ensureRuntime(context, runtime);
        return scanTask({ engine, runtimeVolume: runtime.volume, signal }, config, images);
      };
      await verifyTasks(subjects, attempts, {
        ...conditions,
        jobs,
        repeat,
        retries,
        anew: options.anew ?? false,
        signal,
        scan,
        onScanFailure,
        onAttempt,
        onRound,
      });
    });
    interrupted = stop.signal.aborted;
  }
  let reports = subjects.map((subject) => reportOn(subject, attempts, conditions));
  if (options.record && !interrupted) {
    await record(tasks, reports);
    reports = subjectsOf(tasks, host.settings.registry).map((subject) => reportOn(subject, attempts, conditions));
    for (const report of reports) await writeTaskReport(conditions.output, report);
  }
  await writeSummary(conditions.output, reports, flakesOf(attempts.all), { version: VERSION, at: new Date() });
  for (const { task, warnings } of reports) for (const warning of warnings) warn(`${task}: ${warning}`);
  if (interrupted) {
    const how = options.anew
      ? 'without --anew, the command goes on where it was, and of controls that were not reached the old runs count'
      : 'the same command goes on where it was';
    process.stderr.write(`Interrupted; ${how}\n`);
    return INTERRUPTED;
  }
  const failed = reports.filter(({ ok }) => !ok);
  for (const { task, failures } of failed)
    for (const failure of failures) process.stderr.write(`${task}: ${failure}\n`);
  print(`${reports.length - failed.length} of ${reports.length} tasks grade as expected: ${options.output}/summary.md`);
  return failed.length > 0 ? 1 : 0;
}

/** The tasks that a verification would try, and the images that they are built on. */
function list(subjects: readonly Subject[]): number {
  printJson({
    tasks: subjects.map(({ task, controls }) => ({
      task: task.id,
      dataset: task.dataset,
      controls: controls.map(({ name }) => name),
    })),
    bases: [...new Set(subjects.map(({ base }) => base))].sort(),
  });
  return 0;
}

function onRound(report: TaskReport, { done, total }: { done: number; total: number }): void {
  const [first] = report.failures;
  const state = report.ok ? 'ok' : 'FAIL';
  process.stderr.write(
    `[${done}/${total}] ${state} ${report.task} (${time(report.seconds)})${first ? ` ${first}` : ''}\n`,
  );
}

/** What goes on, since it may take minutes, and where it can be watched. */
function onAttempt({ task, control, round }: Job): void {
  process.stderr.write(`${task.id}: ${control.name}${round > 1 ? `, round ${round}` : ''}\n`);
}

function onScanFailure(task: Task, error: Error): void {
  warn(unsearchedSentence(task.id, error));
}

async function record(tasks: readonly Task[], reports: readonly TaskReport[]): Promise<void> {
  for (const [index, task] of tasks.entries()) {
    const report = reports[index];
    if (report?.tests) await recordTests(task.dir, report.tests);
  }
}

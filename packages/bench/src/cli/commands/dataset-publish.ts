import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadAgent } from '../../config/agents.ts';
import { registryOf } from '../../config/settings.ts';
import { showPath } from '../../config/show-path.ts';
import type { Task } from '../../config/tasks.ts';
import { publishTask, recordPath } from '../../datasets/publish/publish-task.ts';
import { type Publishable, publishable } from '../../datasets/publish/publishable.ts';
import { AttemptsFile } from '../../datasets/verify/attempts-file.ts';
import { selectTasks } from '../../datasets/verify/select-tasks.ts';
import { subjectsOf } from '../../datasets/verify/subjects.ts';
import { reportOn } from '../../datasets/verify/verify.ts';
import { isOwnRegistry } from '../../images/context.ts';
import { createProgress } from '../../progress/create-progress.ts';
import { UserError } from '../errors.ts';
import { openHost, withEngine } from '../host.ts';
import { imageContext } from '../image-context.ts';
import { guardInterrupts } from '../interrupt.ts';
import { usageError } from '../option-values.ts';
import { print } from '../output.ts';
import { VERSION } from '../version.ts';

export interface DatasetPublishOptions {
  dir?: string;
  output: string;
  registry: string;
  revision?: string;
  agent?: string[];
}

/**
 * `ssebench dataset publish`. Nothing is pushed unless every task may be. Source: spec/host §5.5.
 * @throws UserError for every task that may not be published, and when the registry refuses
 */
export async function datasetPublish(ids: readonly string[], options: DatasetPublishOptions): Promise<number> {
  const host = openHost();
  const registry = registryOf(options.registry, '--registry');
  if (isOwnRegistry(`${registry}/`))
    throw usageError('--registry', options.registry, 'must name a registry, such as ghcr.io/owner/name');
  const agents = (options.agent ?? []).map((name) => loadAgent(host.home, name));
  const output = resolve(options.output);
  const tasks = await selectTasks(ids, {
    home: host.home,
    dirs: options.dir === undefined ? undefined : [options.dir],
    changedSince: undefined,
  });
  const attempts = AttemptsFile.open(output);
  const subjects = subjectsOf(tasks, host.settings.registry).map((subject) => ({
    task: subject.task,
    report: reportOn(subject, attempts, { output, version: VERSION }),
  }));
  const chosen = ids.length > 0 ? subjects : subjects.filter(({ report }) => Object.keys(report.runs).length > 0);
  if (chosen.length === 0)
    throw new UserError(
      `${showPath(output)}: no task of ${options.dir ?? "home's datasets"} was verified as it is now; run: ssebench dataset verify --dir ${options.dir ?? 'DATASET'} -o ${options.output}`,
    );
  guardInterrupts();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name));
  await withEngine(async (engine) => {
    const context = imageContext(host, engine, { progress: createProgress(), signal: stop.signal });
    const found = await Promise.all(
      chosen.map(({ task, report }) => publishable(context, task, report, options.output)),
    );
    const refusals = found.flatMap((it) => ('refusal' in it ? [it.refusal] : []));
    if (refusals.length > 0) throw new UserError(refusals);
    const revisions = new Map<Task, string>();
    for (const { task } of chosen) revisions.set(task, await revisionOf(task, options.revision));
    for (const it of found.filter((one): one is Publishable => 'image' in one)) {
      const revision = revisions.get(it.task) ?? '';
      const record = await publishTask(context, it, { registry, revision, output, agents });
      print(`published ${registry}/${record.image}@${record.digest}: ${showPath(recordPath(output, record.task))}`);
    }
  });
  return 0;
}

/** The commit that holds the task as it is. @throws UserError when none was named and there is none */
async function revisionOf({ id, dir }: Task, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (/^[0-9a-f]{40}$/.test(given)) return given;
    throw usageError('--revision', given, 'must be a commit of 40 hexadecimal digits');
  }
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: dir })).stdout.trim();
  let changed: string;
  let head: string;
  try {
    [changed, head] = [await git('status', '--porcelain', '--', '.'), await git('rev-parse', 'HEAD')];
  } catch (cause) {
    throw new UserError(`${id}: ${showPath(dir)} is in no git repository; name its commit with --revision`, 1, {
      cause,
    });
  }
  if (changed === '') return head;
  throw new UserError(`${id}: ${showPath(dir)} has changes that are in no commit; commit them, or name --revision`);
}

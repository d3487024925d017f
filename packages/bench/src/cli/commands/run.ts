import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { isSolved } from '@ssebench/contracts/integrity';
import { checksOf } from '@ssebench/contracts/task-config';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { replayText } from '../../results/replay-text.ts';
import { checkGradeArguments, checkRunArguments, type World } from '../../run/check-arguments.ts';
import type { GradeOptions, GradingOptions, RunOptions } from '../../run/command-line.ts';
import type { GradePlan, RunPlan } from '../../run/plan.ts';
import type { RunContext, RunReport } from '../../run/run-stage.ts';
import { missingTestsText } from '../../run/tests-report.ts';
import { abandonedNotice } from '../abandoned-notice.ts';
import { closingLines } from '../closing-lines.ts';
import { UserError } from '../errors.ts';
import { type Host, openHost } from '../host.ts';
import { guardInterrupts } from '../interrupt.ts';
import { print, warn } from '../output.ts';
import { VERSION } from '../version.ts';

const INTERRUPTED = 130;

/** `ssebench run`. Returns the exit status. @throws UserError | EngineError before anything has started */
export async function run(options: RunOptions): Promise<number> {
  const host = openHost();
  const { plan, warnings } = checkRunArguments(options, await worldOf(host, options));
  for (const warning of warnings) warn(warning);
  return conduct(plan, host, async (context) => (await import('../../run/execute-run.ts')).executeRun(plan, context));
}

/** `ssebench grade`. As `run`. */
export async function grade(options: GradeOptions): Promise<number> {
  const host = openHost();
  const { plan, warnings } = checkGradeArguments(options, await worldOf(host, options));
  for (const warning of warnings) warn(warning);
  return conduct(plan, host, async (context) =>
    (await import('../../run/execute-grade.ts')).executeGrade(plan, context),
  );
}

async function conduct(
  plan: RunPlan | GradePlan,
  host: Host,
  execute: (context: RunContext) => Promise<RunReport>,
): Promise<number> {
  // Before the run has a directory: an engine that is not there is no run.
  const engine = await connectEngine();
  const { abandonedRuns } = await import('../../gc/abandoned-runs.ts');
  const notice = abandonedNotice(await abandonedRuns(plan.resultsRoot), relative(process.cwd(), plan.resultsRoot));
  if (notice) warn(notice);
  const { createProgress } = await import('../../progress/create-progress.ts');
  guardInterrupts();
  const report = await execute({
    home: host.home,
    workspace: host.workspace,
    registry: host.settings.registry,
    debianMirror: host.settings.get('SSEBENCH_DEBIAN_MIRROR'),
    hostMounts: host.settings.hostMounts,
    version: VERSION,
    progress: createProgress(),
    connect: async () => engine,
    gateway: async (kind) =>
      (await import('../../gateway/connect-gateway.ts')).connectGateway(kind, host.workspace, host.settings),
  });
  const { directory, patchResult, integrity, tests, replay, interrupted } = report;
  for (const line of missingTestsText(tests)) warn(line);
  if (replay) print(`Replay: ${replayText(replay)}`);
  const closing = { patchResult, integrity, checks: checksOf(plan.task.config), directory };
  for (const line of closingLines(closing)) print(line);
  if (interrupted) return INTERRUPTED;
  return plan.requirePass && !isSolved({ patch_result: patchResult, integrity }) ? 1 : 0;
}

async function worldOf(host: Host, options: GradingOptions | RunOptions): Promise<World> {
  const { home, workspace, settings } = host;
  const world = { home, workspace, settings, cwd: process.cwd(), startedAt: new Date(), random: randomBytes(3) };
  if (options.local) return world;
  const find = await catalogFinder(host, options.catalog);
  return { ...world, catalog: find };
}

/** A catalog is read before anything is checked; what is wrong with it is told in its turn. */
async function catalogFinder(host: Host, named: string | undefined): Promise<NonNullable<World['catalog']>> {
  const { catalogSource, openCatalog, taskOfCatalog } = await import('../../datasets/catalog/find-task.ts');
  try {
    const catalog = await openCatalog(catalogSource(named, host), host.settings);
    return (id, build) => taskOfCatalog(catalog, id, { home: host.home, build });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return () => {
      throw error;
    };
  }
}

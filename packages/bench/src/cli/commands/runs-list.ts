import { LABEL } from '@ssebench/contracts/labels';
import type { ContainerState, ContainerSummary } from '@ssebench/engine/container';
import type { ContainerEngine } from '@ssebench/engine/port';
import { abandonedRuns } from '../../gc/abandoned-runs.ts';
import { scanResults, type UnfinishedRun } from '../../results/scan.ts';
import { abandonedNotice } from '../abandoned-notice.ts';
import { withEngine } from '../host.ts';
import { columns, print, printJson, warn } from '../output.ts';

export interface RunsListOptions {
  dir: string;
  json?: boolean;
}

/** One run as `runs list --json` prints it. The environment is not in it: it holds the run's key. Source: spec/host §1.6. */
interface ListedRun {
  run_id: string;
  name: string;
  state: 'created' | 'running' | 'exited' | 'unknown';
  exit_code: number | null;
  image: string;
  created_at: string | null;
  task: string;
  model: string;
  agent: string;
  reference_run: boolean;
  results_dir: string;
  labels: Record<string, string>;
}

/** `ssebench runs list`: what is on the engine, newest first, then directories of runs that never ended. */
export async function runsList({ dir, json }: RunsListOptions): Promise<number> {
  const onEngine = await withEngine(engineRuns);
  const known = new Set(onEngine.map(({ results_dir }) => results_dir));
  const left = scanResults(dir).unfinished.filter((run) => !known.has(run.dir));
  const runs = [...onEngine, ...left.map(unfinishedRun)];
  if (json) printJson({ backend: 'docker', supports_exec: false, runs });
  else if (runs.length === 0) process.stderr.write('no runs on the engine\n');
  else {
    const rows = runs.map((run) => [run.run_id, run.state, run.task, run.model, run.agent]);
    print(columns(['RUN ID', 'STATE', 'TASK', 'MODEL', 'AGENT'], rows));
  }
  const notice = abandonedNotice(await abandonedRuns(dir), dir);
  if (notice) warn(notice);
  return 0;
}

async function engineRuns(engine: ContainerEngine): Promise<ListedRun[]> {
  const containers = await engine.listContainers({ [LABEL.webui]: 'true', [LABEL.runId]: '' });
  containers.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return Promise.all(containers.map((container) => listedRun(engine, container)));
}

async function listedRun(engine: ContainerEngine, container: ContainerSummary): Promise<ListedRun> {
  const { labels } = container;
  const state = stateOf(container.state);
  const ended = state === 'exited' ? await engine.inspectContainer(container.id) : undefined;
  return {
    run_id: labels[LABEL.runId] ?? '',
    name: container.name,
    state,
    exit_code: ended?.exitCode ?? null,
    image: container.imageId,
    created_at: container.createdAt.toISOString(),
    task: labels[LABEL.task] ?? '',
    model: labels[LABEL.model] ?? '',
    agent: labels[LABEL.agent] ?? '',
    reference_run: labels[LABEL.referenceRun] === 'true',
    results_dir: labels[LABEL.results] ?? '',
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => name.startsWith('ssebench.'))),
  };
}

function stateOf(state: ContainerState): ListedRun['state'] {
  switch (state) {
    case 'created':
    case 'running':
    case 'exited':
      return state;
    default:
      return 'unknown';
  }
}

function unfinishedRun({ run_id, task, model, agent, dir }: UnfinishedRun): ListedRun {
  return {
    run_id,
    name: '',
    state: 'unknown',
    exit_code: null,
    image: '',
    created_at: null,
    task,
    model,
    agent,
    reference_run: model === 'none',
    results_dir: dir,
    labels: {},
  };
}

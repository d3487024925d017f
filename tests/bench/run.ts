/**
 * `npm run bench -- run`: what a run costs beyond its agent and its scripts. The last line is one JSON object of figures.
 *
 * - `run_ms`: a warm `ssebench run` of a task whose scripts do nothing, graded in a container of its own, from the
 *   command's start to its end; medians of several runs, as all that follows.
 * - `engine_ms`: creating, starting, awaiting and removing the same containers with nothing of ours in them, by the same client.
 * - `ours_ms`: the difference. `bare_ms`: `run --rm --network none IMAGE true`; `ratio_bare`: `run_ms` over it.
 * - `no_change_build_ms`: asking for all image layers when nothing changed. `agent_phase_pss_mb`: our processes while an agent works.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerSpec } from '@ssebench/engine/container';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { CHECKOUT, startSsebench } from '../e2e/support/command.ts';
import { NOOP_DATASET, scriptAgent, Workspace } from '../e2e/support/workspace.ts';

const REPEATS = 7;

const NOTHING: Omit<ContainerSpec, 'image'> = {
  entrypoint: ['/bin/true'],
  cmd: [],
  labels: { 'ssebench.test': 'bench' },
  network: 'none',
  capabilities: [],
  noNewPrivileges: true,
};

const engine = await connectEngine();
const workspace = await Workspace.create({ idle: scriptAgent('echo begun; exec sleep 60') });
try {
  await workspace.runOnNoop('dummy');
  const runs: TimedRun[] = [];
  for (let index = 0; index < REPEATS; index++) runs.push(await timedRun(workspace));
  const image = runs[0]?.image ?? '';
  const bare = await medianOf(() => bareRun(engine, image));
  const engineOnly = await medianOf(() => twoContainers(engine, image));
  const node = await medianOf(() => commandTime([process.execPath, '-e', '0']));
  const figures = {
    run_ms: median(runs.map(({ total }) => total)),
    engine_ms: engineOnly,
    ours_ms: median(runs.map(({ total }) => total)) - engineOnly,
    bare_ms: bare,
    ratio_bare: round(median(runs.map(({ total }) => total)) / bare),
    no_change_build_ms: median(runs.map(({ phases }) => phases['images'] ?? Number.NaN)),
    phases_ms: Object.fromEntries(
      Object.keys(runs[0]?.phases ?? {}).map((name) => [name, median(runs.map(({ phases }) => phases[name] ?? 0))]),
    ),
    node_ms: node,
    version_ratio: round((await medianOf(() => commandTime([join(CHECKOUT, 'ssebench'), '--version']))) / node),
    help_ratio: round((await medianOf(() => commandTime([join(CHECKOUT, 'ssebench'), '--help']))) / node),
    agent_phase_pss_mb: await agentPhaseMemory(workspace),
  };
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${JSON.stringify(value)}\n`);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  engine.close();
  await workspace[Symbol.asyncDispose]();
}

interface TimedRun {
  total: number;
  image: string;
  phases: Record<string, number>;
}

async function timedRun(place: Workspace): Promise<TimedRun> {
  const startedAt = performance.now();
  const { summary } = await place.runOnNoop('dummy');
  const total = Math.round(performance.now() - startedAt);
  return {
    total,
    image: summary.images.case ?? '',
    phases: Object.fromEntries(summary.phases.map((p) => [p.phase, p.duration_ms])),
  };
}

async function bareRun(target: ContainerEngine, image: string): Promise<void> {
  const id = await target.createContainer({ ...NOTHING, image });
  await target.start(id);
  await target.ended(id);
  await target.remove(id, { force: true });
}

/** The engine's share of a run: a work and a grade container one after the other, and one that is only made. */
async function twoContainers(target: ContainerEngine, image: string): Promise<void> {
  const answers = await target.createContainer({ ...NOTHING, image });
  await bareRun(target, image);
  await bareRun(target, image);
  await target.remove(answers, { force: true });
}

/** Proportional set size of what we run in the container while an agent works, in MB. Needs root. */
async function agentPhaseMemory(place: Workspace): Promise<number> {
  const args = ['run', '--local', NOOP_DATASET, '--task', 'noop-c', '--agent', 'idle', '--model', 'claude-sonnet-4-6'];
  const { child, ended } = startSsebench(args, { cwd: place.path, env: place.environment });
  try {
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.stderr?.on('data', (chunk: unknown) => {
        said += String(chunk);
        if (/s {2}agent$/m.test(said)) resolve();
      });
      void ended.then(() => reject(new Error(`the run ended early:\n${said}`)));
    });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return await pssOfOurs();
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

async function pssOfOurs(): Promise<number> {
  let kilobytes = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!commandLine.startsWith('/opt/ssebench/')) continue;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return Math.round(kilobytes / 1024);
}

async function commandTime([file = '', ...args]: readonly string[]): Promise<void> {
  const { status } = spawnSync(file, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`);
}

async function medianOf(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < REPEATS; index++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return Math.round(median(times));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

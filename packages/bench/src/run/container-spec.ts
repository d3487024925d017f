import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER, ENV } from '@ssebench/contracts/layout';
import type { EffectiveLimits } from '@ssebench/contracts/limits';
import type { RunSettings } from '@ssebench/contracts/run-settings';
import type { ContainerSpec, Mount } from '@ssebench/engine/container';
import { containerLimits } from './effective-limits.ts';

/** All that root needs to switch users, give files away and end processes; nothing else (design §7). */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID', 'KILL'] as const;
/** Where agents find their model: a name of the loopback, whatever stands behind it. Source: spec/runtime §4. */
const MODEL_URL = `http://litellm:${CONTAINER.modelPort}`;
const ROOT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What the containers of one run have in common. */
export interface RunFrame {
  runId: string;
  taskId: string;
  settings: RunSettings;
  limits: EffectiveLimits;
  runtimeVolume: string;
  /** Run directory as the labels name it, and the socket of the run's owner. */
  resultsPath: string;
  ownerSocket: string;
  keepAlive: boolean;
}

interface AgentSide {
  image: { id: string; cmd: readonly string[]; env: Readonly<Record<string, string>>; workdir: string };
  mode: 'work' | 'same';
  agentGrace: number;
  /** Seconds; null: no snapshots. */
  snapshotInterval: number | null;
  /** Of the agent's program; undefined: its image holds all there is of it. */
  programVolume: string | undefined;
  /** For what the container leaves: see `ResultsPlace`. */
  mounts: readonly Mount[];
  network: ContainerSpec['network'];
  /** The run's key for its model; undefined in a run without one. */
  modelKey: string | undefined;
}

interface GradeSide {
  image: { id: string; env: Readonly<Record<string, string>> };
  mounts: readonly Mount[];
  agent: { duration: number; exitCode: number | null; timedOut: boolean };
}

/** The container that the agent works in; with mode `same` it is graded there, too. */
export function workContainer(frame: RunFrame, side: AgentSide): ContainerSpec {
  const { settings } = frame;
  return {
    ...common(frame, side.mode, side.image),
    cmd: side.image.cmd,
    workdir: side.image.workdir,
    network: side.network,
    extraHosts: { litellm: '127.0.0.1' },
    mounts: [runtimeMount(frame), ...programMount(side), ...side.mounts],
    env: {
      ...rootEnvironment(frame, side.image.env),
      [ENV.archive]: CONTAINER.archive,
      [ENV.daemonSocket]: CONTAINER.agentSocket,
      [ENV.difficulty]: String(settings.difficulty),
      [ENV.timeout]: String(settings.timeout),
      [ENV.agentGrace]: String(side.agentGrace),
      ...(side.snapshotInterval !== null && { [ENV.snapshotInterval]: String(side.snapshotInterval) }),
      ...(frame.limits.disk_bytes !== null && { [ENV.diskLimit]: String(frame.limits.disk_bytes) }),
      [ENV.modelName]: settings.model,
      [ENV.apiKey]: side.modelKey ?? '',
      [ENV.baseUrl]: side.modelKey === undefined ? '' : MODEL_URL,
      ...(side.modelKey !== undefined && { [ENV.modelSocket]: CONTAINER.modelSocket }),
      ...(settings.budget !== null && { [ENV.budget]: String(settings.budget) }),
      [ENV.agentEnv]: JSON.stringify(side.image.env),
    },
  };
}

/** The container that a patch is graded in: it never holds anything of the agent's but the patch. */
export function gradeContainer(frame: RunFrame, side: GradeSide): ContainerSpec {
  const { duration, exitCode, timedOut } = side.agent;
  return {
    ...common(frame, 'grade', side.image),
    cmd: [],
    workdir: '/',
    network: 'none',
    mounts: [runtimeMount(frame), ...side.mounts],
    env: {
      ...rootEnvironment(frame, side.image.env),
      [ENV.capture]: 'given',
      [ENV.agentDuration]: String(Math.floor(duration)),
      ...(exitCode !== null && { [ENV.agentExitStatus]: String(exitCode) }),
      ...(timedOut && { [ENV.agentTimedOut]: 'true' }),
    },
  };
}

/** The labels by which runs are listed. Source: spec/host §10.1. */
function runLabels(
  frame: Pick<RunFrame, 'runId' | 'taskId' | 'settings' | 'resultsPath' | 'ownerSocket'>,
  role: string,
): Record<string, string> {
  const { settings } = frame;
  return {
    [LABEL.role]: role,
    [LABEL.runId]: frame.runId,
    [LABEL.task]: frame.taskId,
    [LABEL.model]: settings.model,
    [LABEL.agent]: settings.agent,
    [LABEL.results]: frame.resultsPath,
    [LABEL.owner]: frame.ownerSocket,
    ...(role !== 'grade' && { [LABEL.webui]: 'true' }),
    ...(settings.reference_run && { [LABEL.referenceRun]: 'true' }),
  };
}

function common(frame: RunFrame, mode: 'work' | 'same' | 'grade', image: { id: string }) {
  return {
    image: image.id,
    entrypoint: [CONTAINER.init, '--', CONTAINER.node, CONTAINER.runtimeBundle, 'entrypoint', '--mode', mode, '--'],
    user: '0:0',
    labels: runLabels(frame, mode),
    capabilities: CAPABILITIES,
    noNewPrivileges: true,
    limits: containerLimits(frame.limits),
    stopSignal: 'SIGTERM',
  } as const satisfies Partial<ContainerSpec>;
}

/** Nobody's to write. */
function runtimeMount({ runtimeVolume }: RunFrame): Mount {
  return { type: 'volume', name: runtimeVolume, target: CONTAINER.runtime, readOnly: true };
}

function programMount({ programVolume: name }: AgentSide): Mount[] {
  return name === undefined ? [] : [{ type: 'volume', name, target: CONTAINER.program, readOnly: true }];
}

/**
 * Root's processes run with a constant environment: what the image sets (`NODE_OPTIONS`, `LD_PRELOAD`, a `PATH` into
 * the agent's home) is taken away here and reaches the agent alone, through `SSE_AGENT_ENV`.
 */
function rootEnvironment(frame: RunFrame, imageEnv: Readonly<Record<string, string>>): Record<string, string | null> {
  const removed = Object.fromEntries(Object.keys(imageEnv).map((name) => [name, null]));
  return {
    ...removed,
    PATH: ROOT_PATH,
    HOME: '/root',
    [ENV.results]: CONTAINER.results,
    [ENV.adminSocket]: CONTAINER.adminSocket,
    [ENV.hostSocket]: CONTAINER.hostSocket,
    [ENV.repo]: CONTAINER.repo,
    [ENV.checkTimeout]: String(frame.settings.check_timeout),
    [ENV.gradingTimeout]: String(frame.settings.grading_timeout),
    [ENV.keepAlive]: frame.keepAlive ? '1' : '0',
  };
}

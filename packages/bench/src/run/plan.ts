import type { GatewayKind } from '@ssebench/contracts/model-use';
import type { RunSettings } from '@ssebench/contracts/run-settings';
import type { Agent } from '../config/agents.ts';
import type { RunTask } from '../config/tasks.ts';

/** What a run may use up. Bytes and counts; undefined means the default for this engine. */
export interface RequestedLimits {
  memoryBytes: number | undefined;
  cpus: number | undefined;
  pids: number | undefined;
  diskBytes: number | undefined;
}

/** A run with every argument checked: nothing in it can be wrong any more, only the world can. */
export interface RunPlan {
  runId: string;
  startedAt: Date;
  task: RunTask;
  agent: Agent;
  settings: RunSettings;
  limits: RequestedLimits;
  /** What the run's model may do that is refused otherwise. */
  allowed: readonly string[];
  gateway: GatewayKind;
  /** Whether its calls are recorded. */
  record: boolean;
  /** The recording that answers in place of the model, absolute; null: the model does. */
  replay: string | null;
  /** Seconds between SIGTERM and SIGKILL at the agent's limit. */
  agentGrace: number;
  /** Seconds between the first snapshots of the agent's patch; null: none are kept. */
  snapshotInterval: number | null;
  keepContainer: boolean;
  requirePass: boolean;
  /** Absolute; the run's own directory is `<resultsRoot>/<task>/<model>/<agent>/<runId>`. */
  resultsRoot: string;
  /** Whether only published images are used and nothing is built. */
  prebuilt: boolean;
  /** Certificate authority to trust in images that we build: a PEM file; undefined for none. */
  extraCa: string | undefined;
}

/** The second half of a run alone: a patch from a file, graded. */
export interface GradePlan {
  runId: string;
  startedAt: Date;
  task: RunTask;
  /** Absolute path of the patch. */
  patch: string;
  settings: RunSettings;
  limits: RequestedLimits;
  keepContainer: boolean;
  requirePass: boolean;
  resultsRoot: string;
  extraCa: string | undefined;
}

import { z } from 'zod';
import { EffectiveLimits } from './limits.ts';
import { GATEWAYS } from './model-use.ts';
import { RunId } from './run-id.ts';
import { RunSettings } from './run-settings.ts';
import { EngineDescription, PhaseDuration, RunImages } from './summary.ts';
import { TaskConfig } from './task-config.ts';
import { TaskTests } from './task-expect.ts';

/** A time by a clock that nobody sets: seconds since the machine's start, and which start that was. */
export const Moment = z.strictObject({ boot_id: z.string(), uptime: z.number() });
export type Moment = z.infer<typeof Moment>;

/** How a run's way to its model is closed. */
export const ModelCourse = z.strictObject({
  gateway: z.enum(GATEWAYS),
  /** US dollars. */
  budget: z.number().positive(),
  allowed: z.array(z.string()),
});
export type ModelCourse = z.infer<typeof ModelCourse>;

/**
 * How a run goes on once its images stand: all that is needed to wait for its agent, to grade what that leaves and to
 * write the results. Seconds, where nothing else is said.
 */
export const RunCourse = z.strictObject({
  /** Where the engine listens, as in `DOCKER_HOST`. */
  engine_address: z.string(),
  engine: EngineDescription,
  images: RunImages,
  limits: EffectiveLimits,
  phases: z.array(PhaseDuration),
  runtime_volume: z.string(),
  /** What a patch is graded in: the tool image's ID, and the environment that the task's own image sets. */
  grader: z.strictObject({ image: z.string(), env: z.record(z.string(), z.string()) }),
  /** Whether containers leave their results in host directories; else in volumes. */
  host_mounts: z.boolean(),
  /** Whether a container's socket can be connected to from the host. */
  socket_mounts: z.boolean(),
  keep_container: z.boolean(),
  /** Null in a run without a model. */
  model: ModelCourse.nullable().default(null),
  /** Null in a run that only grades. `started`: just before the agent's container was. */
  work: z.strictObject({ agent_grace: z.int().nonnegative(), started: Moment }).nullable(),
});
export type RunCourse = z.infer<typeof RunCourse>;

/**
 * `owner.json`: in the directory of a run that goes on, and gone when it has ended. It says who conducts the run, and
 * holds what another command needs to bring it to its end when that one is killed. No container can write there.
 */
export const OwnerFile = z.strictObject({
  /** The first owner listens there. */
  socket: z.string(),
  /** The run's short host directory. */
  directory: z.string(),
  run_id: RunId,
  started_at: z.iso.datetime(),
  /** Of SSEBench. */
  version: z.string(),
  task: z.strictObject({
    id: z.string(),
    dataset_version: z.string().nullable(),
    files_sha256: z.string().nullable(),
    config: TaskConfig,
    /** Null for a task whose tests are not recorded. */
    tests: TaskTests.nullable().default(null),
  }),
  settings: RunSettings,
  /** Null before the agent's container is made: then nothing has begun that could be collected. */
  course: RunCourse.nullable(),
});
export type OwnerFile = z.infer<typeof OwnerFile>;

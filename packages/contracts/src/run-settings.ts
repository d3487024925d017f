import { z } from 'zod';
import { Difficulty } from './difficulty.ts';

export const RUN_MODES = ['sandbox', 'sidecar'] as const;
export const EGRESS_POLICIES = ['restricted', 'open'] as const;
export const GRADING_MODES = ['separate', 'same'] as const;

export type EgressPolicy = (typeof EGRESS_POLICIES)[number];

/** `config` in `result.json` and `summary.json`. Times in seconds. Sources: seeds/results-format; design §4 for `grading`. */
export const RunSettings = z.strictObject({
  agent: z.string(),
  /** `none` for reference runs. */
  model: z.string(),
  mode: z.enum(RUN_MODES),
  timeout: z.int().positive(),
  difficulty: Difficulty,
  tool_layer: z.string().nullable(),
  egress: z.enum(EGRESS_POLICIES),
  reference_run: z.boolean(),
  plugins: z.array(z.string()),
  /** Ours: what the run may spend on its model, US dollars; null in a run without one. */
  budget: z.number().positive().nullable().default(null),
  /** Ours: ID of the run whose recording answered in place of the model; null: the model did. */
  replay_of: z.string().nullable().default(null),
  /** Ours: `separate` grades in a container of its own, `same` in the agent's. */
  grading: z.enum(GRADING_MODES),
  /** Ours: limit of one script run. */
  check_timeout: z.int().positive(),
  /** Ours: limit of grading as a whole. */
  grading_timeout: z.int().positive(),
});
export type RunSettings = z.infer<typeof RunSettings>;

/** The agent whose runs rate the task instead of a model. */
export const REFERENCE_AGENT = 'reference';
/** What such runs record as their model. */
export const NO_MODEL = 'none';
/** What a run may spend when nothing else is said. US dollars. Source: spec/host §10.4. */
export const DEFAULT_BUDGET = 10;

/**
 * The limit of grading as a whole, in seconds: every script run that can happen at its own limit, and five minutes.
 * It only fires on faults of the harness. A check that hits its limit is run once more, and the functional and intent
 * tests may run a second time on the restored tree, so each counts that often.
 */
export function defaultGradingTimeout(checkTimeout: number, pocs: number): number {
  const confirmed = 2;
  const runs = confirmed * (1 + pocs + 2) + confirmed * 3;
  return checkTimeout * runs + 300;
}

import { z } from 'zod';

/** Where in a run something went wrong, in the order that a run reaches them. */
const PHASES = ['prepare', 'start', 'agent', 'capture', 'grading', 'collect'] as const;
export const Phase = z.enum(PHASES);
export type Phase = z.infer<typeof Phase>;

/** Who brought a fault about. `infra` needs evidence from outside the agent's reach (design §5). */
const BLAMES = ['agent', 'model', 'infra', 'task', 'budget', 'integrity', 'user'] as const;
export const Blame = z.enum(BLAMES);
export type Blame = z.infer<typeof Blame>;

interface FaultRule {
  phase: Phase;
  blame: Blame;
  /** Whether the same run can be tried again with hope of another outcome. */
  retryable: boolean;
  /** What the code means, for the reference table. */
  meaning: string;
}

/** Every way in which a run can end without a grade. The code is the contract; the sentence for people is made from it. */
export const FAULTS = {
  image_build_failed: {
    phase: 'prepare',
    blame: 'task',
    retryable: true,
    meaning: 'An image of the task or the agent could not be built.',
  },
  image_unusable: {
    phase: 'prepare',
    blame: 'task',
    retryable: false,
    meaning: 'The case image lacks what a run needs: git, the source tree or the task files.',
  },
  image_unavailable: {
    phase: 'prepare',
    blame: 'infra',
    retryable: true,
    meaning: 'A published image could not be had from its registry, or is not one for this engine.',
  },
  engine_unreachable: {
    phase: 'start',
    blame: 'infra',
    retryable: true,
    meaning: 'The container engine did not answer.',
  },
  engine_refused: { phase: 'start', blame: 'infra', retryable: true, meaning: 'The container engine refused a call.' },
  start_failed: {
    phase: 'start',
    blame: 'infra',
    retryable: true,
    meaning: 'The container or a service in it did not start.',
  },
  image_missing: {
    phase: 'grading',
    blame: 'infra',
    retryable: true,
    meaning: 'An image that the run needs was removed from the engine while it went on.',
  },
  agent_not_started: {
    phase: 'agent',
    blame: 'agent',
    retryable: false,
    meaning: "The agent's command could not be executed.",
  },
  agent_overran: {
    phase: 'agent',
    blame: 'agent',
    retryable: false,
    meaning: 'The agent phase had not ended long after its limit, and the host ended the container.',
  },
  service_lost: {
    phase: 'agent',
    blame: 'agent',
    retryable: false,
    meaning: 'A process of ours in a container ended before its work was done.',
  },
  processes_survived: {
    phase: 'agent',
    blame: 'agent',
    retryable: false,
    meaning: "A process of the agent's user could not be ended.",
  },
  disk_limit: {
    phase: 'agent',
    blame: 'agent',
    retryable: false,
    meaning: "A container's files and the agent's archive took more disk than the limit.",
  },
  archive_limit: {
    phase: 'agent',
    blame: 'agent',
    retryable: false,
    meaning: "The agent's archive directory holds more bytes or files than the limit.",
  },
  host_disk_low: {
    phase: 'agent',
    blame: 'infra',
    retryable: true,
    meaning: 'A disk of the host had too little room left, and the run was stopped.',
  },
  container_lost: {
    phase: 'agent',
    blame: 'infra',
    retryable: true,
    meaning: 'The container, or the command that conducted the run, was ended from outside before its work was done.',
  },
  gateway_failed: {
    phase: 'start',
    blame: 'infra',
    retryable: true,
    meaning: 'The model gateway did not start, or gave the run no key.',
  },
  model_unanswered: {
    phase: 'agent',
    blame: 'model',
    retryable: true,
    meaning: 'The model answered none of the calls of the agent.',
  },
  model_failed: {
    phase: 'agent',
    blame: 'model',
    retryable: true,
    meaning: "The model's provider failed in the end, so that the agent could not go on.",
  },
  baseline_missing: {
    phase: 'capture',
    blame: 'agent',
    retryable: false,
    meaning: 'The baseline that a patch is measured against is not there or not readable.',
  },
  capture_failed: {
    phase: 'capture',
    blame: 'agent',
    retryable: false,
    meaning: "The agent's tree could not be captured as a patch.",
  },
  patch_too_large: {
    phase: 'capture',
    blame: 'agent',
    retryable: false,
    meaning: 'The captured patch is larger than the limit.',
  },
  no_check_ran: { phase: 'grading', blame: 'task', retryable: false, meaning: 'The task has no check at all.' },
  runner_unavailable: {
    phase: 'grading',
    blame: 'infra',
    retryable: true,
    meaning: "A clean session for the task's scripts could not be made.",
  },
  script_not_executable: {
    phase: 'grading',
    blame: 'task',
    retryable: false,
    meaning: "A script of the task can't be executed.",
  },
  grading_timeout: {
    phase: 'grading',
    blame: 'infra',
    retryable: true,
    meaning: 'Grading as a whole did not end within its limit.',
  },
  grading_failed: { phase: 'grading', blame: 'infra', retryable: true, meaning: 'The grader or its daemon failed.' },
  no_result: {
    phase: 'grading',
    blame: 'infra',
    retryable: true,
    meaning: 'The grade container ended without a result.',
  },
  results_unwritable: {
    phase: 'collect',
    blame: 'infra',
    retryable: true,
    meaning: 'The results could not be written.',
  },
  results_refused: {
    phase: 'collect',
    blame: 'agent',
    retryable: false,
    meaning: 'What a container left as its results was more than the limits, and was not read back from the engine.',
  },
  interrupted: { phase: 'agent', blame: 'user', retryable: true, meaning: 'The run was stopped by a signal.' },
  internal: { phase: 'prepare', blame: 'infra', retryable: true, meaning: 'A fault of the harness itself.' },
} as const satisfies Record<string, FaultRule>;

export type FaultCode = keyof typeof FAULTS;
export const FAULT_CODES = Object.keys(FAULTS) as [FaultCode, ...FaultCode[]];

/** A run's outcome when it was not graded: the code, where and by whom, and what a person reads about it. */
export const Fault = z.strictObject({
  code: z.enum(FAULT_CODES),
  phase: Phase,
  blame: Blame,
  retryable: z.boolean(),
  /** What was found, and where. Free text; nothing decides by it. */
  detail: z.string(),
});
export type Fault = z.infer<typeof Fault>;

/** A fault of kind `code`; phase and blame may be given where they are known better than the rule knows them. */
export function fault(
  code: FaultCode,
  detail: string,
  known: Partial<Pick<Fault, 'phase' | 'blame' | 'retryable'>> = {},
): Fault {
  const { phase, blame, retryable } = FAULTS[code];
  return { code, phase, blame, retryable, ...known, detail };
}

/** A fault as an exception, for code that has no better way up. */
export class FaultError extends Error {
  readonly fault: Fault;

  constructor(value: Fault, options?: ErrorOptions) {
    super(`${value.code}: ${value.detail}`, options);
    this.name = 'FaultError';
    this.fault = value;
  }
}

/** What `error_msg` says of a fault, in the words that readers of results know. Source: seeds/results-format. */
export function errorMessage({ code, detail }: Fault): string {
  if (code === 'no_check_ran') return 'No check ran';
  if (code === 'no_result') return 'No result: evaluator did not produce output';
  return code === 'model_failed' || code === 'model_unanswered' ? detail : `Exception: ${detail}`;
}

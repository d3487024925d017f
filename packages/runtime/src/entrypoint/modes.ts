import type { Mode } from './command-line.ts';
import { agent } from './phases/agent.ts';
import { archive } from './phases/archive.ts';
import { capture } from './phases/capture.ts';
import { endPhase } from './phases/end-phase.ts';
import { evaluate } from './phases/evaluate.ts';
import type { Phase } from './phases/phase.ts';
import { services } from './phases/services.ts';

/**
 * What each mode does, in order. `same` is both halves in one container; its archive comes after the grade was written,
 * so that it can't delay or lose it (design §§4, 5).
 */
export const PHASES: Record<Mode, readonly Phase[]> = {
  work: [services, agent, endPhase, capture, archive],
  grade: [services, evaluate],
  same: [services, agent, endPhase, capture, evaluate, archive],
};

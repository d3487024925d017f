import type { Difficulty } from '@ssebench/contracts/difficulty';
import type { BashTool } from './bash/bash-tool.ts';
import type { Bencher } from './bencher/bencher.ts';
import type { Budget } from './budget.ts';
import type { Dialog } from './dialog.ts';
import type { EventLog } from './events.ts';
import type { Patches } from './patches.ts';
import type { AgentPhase } from './phase.ts';
import type { StrictTree } from './strict/strict-tree.ts';
import type { Task } from './task.ts';

/** What the routes act on. */
export interface Services {
  task: Task;
  difficulty: Difficulty;
  phase: AgentPhase;
  bencher: Bencher;
  bash: BashTool;
  patches: Patches;
  strictTree: StrictTree;
  dialog: Dialog;
  events: EventLog;
  results: string;
  /** How much the agent's calls may still add to our own log. */
  logBudget: Budget;
  /** Aborts when the daemon stops; its reason is the answer that unfinished calls get. */
  stop: AbortSignal;
}

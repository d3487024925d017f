import type { ModelUse } from '@ssebench/contracts/model-use';
import type { Summary } from '@ssebench/contracts/summary';
import type { ScriptedUsage } from '@ssebench/gateway/scripted/scenario';
import type { ScriptedRequest } from '@ssebench/gateway/scripted/scripted-model';
import type { Session } from './session.ts';

/** A run before the scripted model: what was asked of it, and what the run left. */
export interface Trial {
  readonly summary: Pick<Summary, 'patch_result' | 'runtime_result' | 'outcome' | 'spend'> & {
    model: Pick<ModelUse, 'uncertain' | 'refusals'> | null;
  };
  readonly session: Session | undefined;
  /** Every request, side requests included. */
  readonly requests: readonly Pick<ScriptedRequest, 'kind' | 'protocol' | 'tools' | 'text' | 'results'>[];
  /** Steps of the scenario, from 0, that no tool of the agent could do. */
  readonly skipped: readonly number[];
  /** Tokens of all answers. */
  readonly used: ScriptedUsage;
  /** Milliseconds from the agent's start to its first request; undefined when there was none. */
  readonly firstRequestMs: number | undefined;
  /** Of the agent, seconds. */
  readonly limit: number;
  readonly finalPatch: string;
}

/** The requests of the agent's conversation, without titles and probes. */
export function conversation({ requests }: Pick<Trial, 'requests'>): Trial['requests'] {
  return requests.filter(({ kind }) => kind !== 'aside');
}

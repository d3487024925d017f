import type { GatewayRun } from '@ssebench/contracts/gateway-api';
import type { ReplayState } from '@ssebench/contracts/model-calls';
import type { ModelUse } from '@ssebench/contracts/model-use';
import { differenceText } from '../results/replay-text.ts';
import { type GatewayPlace, keepGateway, startGateway } from './gateway-process.ts';
import { lastFailure } from './last-failure.ts';
import type { ModelGateway, ModelRun } from './model-gateway.ts';

/** Calls that one run has under way at a time: agents with sub-agents make some, a runaway one is slowed down. */
const CONCURRENCY = 32;

/** The gateway that needs no server to be installed: a process of ours on this host. */
export class EmbeddedGateway implements ModelGateway {
  readonly kind = 'embedded';
  readonly #place: GatewayPlace;
  readonly #allowFields: readonly string[];

  /** @param allowFields fields and kinds of requests beyond the allow-list, as refusals name them */
  constructor(place: GatewayPlace, allowFields: readonly string[] = []) {
    this.#place = place;
    this.#allowFields = allowFields;
  }

  async open({ runId, model, budget, allowed, socket, record, replay }: ModelRun): Promise<{ key: string }> {
    const { admin } = await startGateway(this.#place);
    const { key } = await admin.createRun({
      run_id: runId,
      model,
      budget_usd: budget.toFixed(9),
      concurrency: CONCURRENCY,
      allow: allowed,
      allow_fields: this.#allowFields,
      socket,
      ...(record !== null && { record }),
      ...(replay !== null && { replay }),
    });
    return { key };
  }

  keep(signal: AbortSignal): Promise<void> {
    return keepGateway(this.#place, signal);
  }

  async close({ runId, allowed }: Pick<ModelRun, 'runId' | 'allowed'>): Promise<ModelUse> {
    const { admin } = await startGateway(this.#place);
    return useOf(await admin.closeRun(runId), [...allowed, ...this.#allowFields]);
  }
}

function useOf(run: GatewayRun, allowed: string[]): ModelUse {
  const { last_call, budget_exhausted, recording, replay } = run;
  return {
    gateway: 'embedded',
    budget: Number(run.budget_usd),
    spend: Number(run.spent_usd),
    uncertain: Number(run.uncertain_usd) + Number(run.reserved_usd),
    calls: run.calls,
    answered: run.answered,
    failed: run.failed,
    tokens: run.tokens,
    served_models: run.served_models,
    fingerprints: run.fingerprints,
    refusals: run.refusals.map(({ run_id: _run, last_at: _at, ...refusal }) => refusal),
    allowed,
    lowered_outputs: run.lowered,
    budget_exhausted,
    last_failure: lastFailure(last_call),
    unread: null,
    gateway_run: run.run_id,
    recording,
    replay,
    ...(replay && replayed(replay)),
  };
}

/** A replay has no calls in the books. One that differed from its first call on is a run whose model never answered. */
function replayed({ served, first_difference }: ReplayState): Pick<ModelUse, 'calls' | 'answered' | 'last_failure'> {
  const calls = served + (first_difference ? 1 : 0);
  const failure = served === 0 && first_difference ? differenceText(first_difference) : null;
  return { calls, answered: served, last_failure: failure };
}

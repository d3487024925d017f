import type { GatewayRun } from '@ssebench/contracts/gateway-api';
import type { ModelUse } from '@ssebench/contracts/model-use';
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

  async open({ runId, model, budget, allowed, socket }: ModelRun): Promise<{ key: string }> {
    const { admin } = await startGateway(this.#place);
    const { key } = await admin.createRun({
      run_id: runId,
      model,
      budget_usd: budget.toFixed(9),
      concurrency: CONCURRENCY,
      allow: allowed,
      allow_fields: this.#allowFields,
      socket,
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
  const { last_call, budget_exhausted } = run;
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
  };
}

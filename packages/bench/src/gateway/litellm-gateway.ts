import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayForward } from '@ssebench/contracts/gateway-api';
import type { ModelUse } from '@ssebench/contracts/model-use';
import { type GatewayPlace, keepGateway, startGateway } from './gateway-process.ts';
import { lastFailure } from './last-failure.ts';
import { LiteLlmApi } from './litellm-api.ts';
import type { LiteLlmAddress } from './litellm-settings.ts';
import { GatewayError, type ModelGateway, type ModelRun } from './model-gateway.ts';

/** As of the embedded gateway. */
const CONCURRENCY = 32;
/** Longer than any run; a key that was left behind ends by itself. */
const KEY_DURATION = '30d';
/** LiteLLM books what calls cost in batches, 10 s apart as it comes. Milliseconds. */
const BOOKING = 15_000;
const LOOK_INTERVAL = 1000;

export interface LiteLlmOptions {
  address: LiteLlmAddress;
  /** The process of ours that serves the run's socket. */
  place: GatewayPlace;
  /** Fields and kinds of requests beyond the allow-list, as refusals name them. */
  allowFields?: readonly string[];
  /** How long after the last call its cost may be booked. Milliseconds. */
  booking?: number;
  /** Told, one line, what was left behind: it changes nothing of the run. */
  leftBehind: (line: string) => void;
}

/**
 * LiteLLM: it has the models, the keys, the budgets and the books. A process of ours serves the run's socket, checks what a
 * request asks for, and passes it on as it is.
 */
export class LiteLlmGateway implements ModelGateway {
  readonly kind = 'litellm';
  readonly #options: LiteLlmOptions;
  readonly #api: LiteLlmApi;

  constructor(options: LiteLlmOptions) {
    this.#options = options;
    this.#api = new LiteLlmApi(options.address);
  }

  async open({ runId, model, budget, allowed, socket, record }: ModelRun): Promise<{ key: string }> {
    const { address, place, allowFields = [] } = this.#options;
    await this.#api.requireModel(model);
    const { admin } = await startGateway(place);
    const userId = userOf(runId);
    const key = await this.#api.newUser({ userId, model, budget, concurrency: CONCURRENCY, duration: KEY_DURATION });
    try {
      await admin.openForward({
        run_id: runId,
        model,
        base_url: address.baseUrl,
        key_sha256: hash('sha256', key),
        socket,
        allow: allowed,
        allow_fields: allowFields,
        record,
      });
    } catch (error) {
      await this.#remove(userId);
      throw error;
    }
    return { key };
  }

  keep(signal: AbortSignal): Promise<void> {
    return keepGateway(this.#options.place, signal);
  }

  async close({ runId, budget, allowed }: Pick<ModelRun, 'runId' | 'budget' | 'allowed'>): Promise<ModelUse> {
    const { admin } = await startGateway(this.#options.place);
    const forward = await admin.closeForward(runId);
    const userId = userOf(runId);
    const kept = forward.spent_usd;
    const spend = kept === null ? await this.#booked(userId, forward) : Number(kept);
    // Kept before the user is removed: whoever closes the run again finds it there.
    if (kept === null) await admin.keepSpend(runId, spend.toFixed(9));
    await this.#remove(userId);
    return useOf(forward, { spend, budget, allowed: [...allowed, ...(this.#options.allowFields ?? [])] });
  }

  /** What the user spent, read when the last call's cost is in the books by all that is known, or never will be. */
  async #booked(userId: string, { answered, last_end }: GatewayForward): Promise<number> {
    const { booking = BOOKING } = this.#options;
    const since = last_end === null ? booking : Date.now() - Date.parse(last_end);
    const due = performance.now() + Math.min(booking, Math.max(0, booking - since));
    const last = due + booking;
    for (;;) {
      const spend = await this.#api.spend(userId);
      const now = performance.now();
      if (now >= last || (now >= due && (spend > 0 || answered === 0))) return spend;
      await delay(Math.min(LOOK_INTERVAL, Math.max(1, (now < due ? due : last) - now)));
    }
  }

  async #remove(userId: string): Promise<void> {
    try {
      await this.#api.deleteUser(userId);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.#options.leftBehind(`LiteLLM still has the user ${userId} and its key: ${error.message}`);
    }
  }
}

function userOf(runId: string): string {
  return `ssebench-${runId}`;
}

function useOf(
  forward: GatewayForward,
  { spend, budget, allowed }: Pick<ModelUse, 'spend' | 'budget' | 'allowed'>,
): ModelUse {
  const { calls, answered, failed, last_call, budget_exhausted, refusals } = forward;
  return {
    gateway: 'litellm',
    budget,
    spend,
    uncertain: 0,
    calls,
    answered,
    failed,
    tokens: null,
    served_models: [],
    fingerprints: [],
    refusals: refusals.map(({ run_id: _run, last_at: _at, ...refusal }) => refusal),
    allowed,
    lowered_outputs: 0,
    budget_exhausted,
    last_failure: lastFailure(last_call),
    unread: null,
    gateway_run: null,
    recording: forward.recording,
    replay: null,
  };
}

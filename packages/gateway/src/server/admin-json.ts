import type { BookedCall, GatewayCalls, LeftToSpend } from '@ssebench/contracts/gateway-api';
import { usdText } from './money.ts';
import type { LedgerCall, RefusalCount, RunSpend, Usage } from './ports.ts';
import { settingsOf } from './run-settings.ts';

/** A run's spend on the admin socket. Money: decimal numbers of dollars, as text. */
export function spendJson(spend: RunSpend) {
  const { runId, model, revoked, calls, answered, failed, lowered, usage } = spend;
  return {
    run_id: runId,
    model,
    revoked,
    budget_usd: usdText(spend.budget),
    spent_usd: usdText(spend.settled),
    reserved_usd: usdText(spend.reserved),
    uncertain_usd: usdText(spend.uncertain),
    calls,
    answered,
    failed,
    lowered,
    last_call: spend.lastCall ?? null,
    budget_exhausted: spend.budgetExhausted,
    tokens: tokensJson(usage),
    served_models: spend.servedModels,
    fingerprints: spend.fingerprints,
    refusals: spend.refusals.map(refusalJson),
    socket: settingsOf(spend.settings).socket ?? null,
  };
}

type Sums = Pick<RunSpend, 'budget' | 'settled' | 'reserved' | 'uncertain'>;

/** What the holder of a run's key is told of its money. What was perhaps spent is not left. */
export function leftJson({ budget, settled, reserved, uncertain }: Sums): LeftToSpend {
  const left = budget - settled - reserved - uncertain;
  return { budget_usd: usdText(budget), spent_usd: usdText(settled), left_usd: usdText(left > 0n ? left : 0n) };
}

export function refusalJson({ runId, protocol, code, field, found, count, lastAt }: RefusalCount) {
  return {
    run_id: runId,
    protocol: protocol ?? null,
    code,
    field,
    found,
    count,
    last_at: new Date(lastAt).toISOString(),
  };
}

/** A run's calls on the admin socket. */
export function callsJson({ runId, model }: RunSpend, calls: readonly LedgerCall[]): GatewayCalls {
  return { run_id: runId, model, calls: calls.map(callJson) };
}

function callJson({ callId, state, startedAt, status, words, servedModel, ...call }: LedgerCall): BookedCall {
  return {
    call_id: callId,
    state,
    started_at: new Date(startedAt).toISOString(),
    served_model: servedModel ?? null,
    status: status ?? null,
    words: words ?? null,
    cost_usd: usdText(call.cost),
    uncertain_usd: usdText(call.uncertain),
    tokens: tokensJson(call.usage),
    first_byte_ms: call.firstByteMs ?? null,
    total_ms: call.totalMs ?? null,
  };
}

function tokensJson(usage: Usage): BookedCall['tokens'] {
  return {
    input: usage.input,
    cache_read: usage.cacheRead,
    cache_write_5m: usage.cacheWrite5m,
    cache_write_1h: usage.cacheWrite1h,
    output: usage.output,
    reasoning: usage.reasoning,
  };
}

import { LeftToSpend } from '@ssebench/contracts/gateway-api';
import { ENV, GATEWAY_PATH } from '@ssebench/contracts/layout';

/** How long the gateway may take to say what is left. Milliseconds. */
const ASK_MS = 5_000;

/** What a run may still take, as `sse limits` prints it. Null: there is no such limit, or nobody can tell. */
export interface RunLimits {
  /** When the agent gets SIGTERM: Unix seconds. */
  deadline: number | null;
  /** Until then; never below 0. */
  seconds_left: number | null;
  /** US dollars, here and below. Null in a run without a model. */
  budget_usd: number | null;
  spent_usd: number | null;
  /** Less than the difference while calls are under way, or when nobody knows what one of them cost. */
  left_usd: number | null;
}

/**
 * The time and the money that a run has left, by the environment and by what the model gateway says now. A gateway that
 * can't tell leaves null where its figures would stand.
 */
export async function runLimits(env: NodeJS.ProcessEnv = process.env, now: number = Date.now()): Promise<RunLimits> {
  const deadline = numberOf(env[ENV.deadline]);
  const money = await leftToSpend(env);
  return {
    deadline,
    seconds_left: deadline === null ? null : Math.max(0, Math.floor(deadline - now / 1000)),
    budget_usd: numberOf(env[ENV.budget]),
    spent_usd: money ? Number(money.spent_usd) : null,
    left_usd: money ? Number(money.left_usd) : null,
  };
}

function numberOf(value: string | undefined): number | null {
  return value && Number.isFinite(Number(value)) ? Number(value) : null;
}

async function leftToSpend(env: NodeJS.ProcessEnv): Promise<LeftToSpend | undefined> {
  const [base, key] = [env[ENV.baseUrl], env[ENV.apiKey]];
  if (!base || !key) return undefined;
  try {
    const answer = await fetch(`${base.replace(/\/+$/, '')}${GATEWAY_PATH.left}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(ASK_MS),
    });
    return answer.ok ? LeftToSpend.safeParse(await answer.json()).data : undefined;
  } catch {
    return undefined;
  }
}

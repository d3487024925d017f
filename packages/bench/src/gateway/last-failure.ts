import type { GatewayRun } from '@ssebench/contracts/gateway-api';

/** Below 500: our key is not taken or not paid for, its time is up, or there were too many calls. */
const PROVIDERS_STATUS: ReadonlySet<number> = new Set([401, 402, 403, 408, 429]);

/**
 * How the last call failed by the provider's doing; else null. One that it refused for what stood in it is the agent's,
 * which could otherwise end a run that fails as one that does not count.
 */
export function lastFailure(call: GatewayRun['last_call']): string | null {
  if (!call || call.ok || !isProviders(call.status)) return null;
  const { status, words } = call;
  return [status > 0 ? `HTTP ${status}` : 'no answer', words].filter((part) => part !== '').join(': ');
}

function isProviders(status: number): boolean {
  return status < 400 || status >= 500 || PROVIDERS_STATUS.has(status);
}

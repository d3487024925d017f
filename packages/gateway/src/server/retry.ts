import type { AttemptEnd } from './upstream.ts';

export interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  /** A provider that asks for more is not tried again: the client is told, and how long. */
  readonly longestDelayMs: number;
}

export const RETRY: RetryPolicy = { attempts: 5, firstDelayMs: 500, longestDelayMs: 30_000 };

/**
 * How long to wait before the next attempt; undefined: there is none. Only what a provider can't have billed is tried again:
 * 429, 5xx, and a connection that did not come about.
 * @param made attempts so far @param random 0 to 1 @param now milliseconds since the epoch
 */
export function retryDelay(
  last: AttemptEnd,
  made: number,
  random: number,
  now: number,
  policy: RetryPolicy = RETRY,
): number | undefined {
  if (made >= policy.attempts) return undefined;
  const backOff = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (made - 1)) * (0.5 + random / 2);
  if (last.end === 'unreached') return backOff;
  if (last.end !== 'status' || !(last.status === 429 || last.status >= 500)) return undefined;
  if (last.headers['x-should-retry'] === 'false') return undefined;
  const asked = retryAfter(last.headers, now);
  if (asked === undefined) return backOff;
  return asked > policy.longestDelayMs ? undefined : Math.max(asked, 0);
}

/** Milliseconds, from `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: NodeJS.Dict<string | string[]>, now: number): number | undefined {
  const exact = Number.parseFloat(String(headers['retry-after-ms'] ?? ''));
  if (Number.isFinite(exact)) return exact;
  const text = headers['retry-after'];
  if (typeof text !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

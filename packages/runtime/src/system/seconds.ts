/** Longest limit that a timer of Node.js can wait for: 2^31 - 1 ms, less a day for the margins that we add. */
const MAX_SECONDS = 2_000_000;

/**
 * A time limit in whole seconds from the environment; undefined when the variable is not set.
 * @throws RangeError for anything but an integer from 1 to 2000000, an empty value included: no limit is ever ignored
 */
export function secondsOf(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const value = env[name];
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : 0;
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new RangeError(`${name} must be whole seconds from 1 to ${MAX_SECONDS}, got ${JSON.stringify(value)}`);
}

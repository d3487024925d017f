import { UserError } from './errors.ts';

/** Timers of Node.js end at 2^31 ms. */
const MAX_SECONDS = 2_000_000;
const UNITS: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** A command line that makes no sense: status 2. */
export function usageError(option: string, value: string, allowed: string): UserError {
  return new UserError(`${option}: "${value}" is not allowed; ${allowed}`, 2);
}

/** `512m`, `4g`, `1.5GiB`, `1073741824` → bytes; units are powers of 1024. @throws UserError with status 2 */
export function parseSize(option: string, value: string, least: number): number {
  const found = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(value.trim());
  const bytes = found ? Math.round(Number(found[1]) * (UNITS[(found[2] ?? '').toLowerCase()] ?? 1)) : 0;
  if (found && bytes >= least && Number.isSafeInteger(bytes)) return bytes;
  throw usageError(option, value, `must be a size of at least ${least / 2 ** 20}m, such as 512m or 4g`);
}

/** @throws UserError with status 2 */
export function parseSeconds(option: string, value: string): number {
  return parseCount(option, value, 1, MAX_SECONDS, 'seconds');
}

/** Null for `off`. @throws UserError with status 2 */
export function parseSecondsOrOff(option: string, value: string): number | null {
  if (value === 'off') return null;
  if (/^\d{1,7}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_SECONDS) return Number(value);
  throw usageError(option, value, `must be off, or seconds, a whole number from 1 to ${MAX_SECONDS}`);
}

/** @throws UserError with status 2 */
export function parseCount(option: string, value: string, least: number, most: number, unit = 'a number'): number {
  const count = /^\d{1,15}$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (count >= least && count <= most) return count;
  throw usageError(
    option,
    value,
    `must be ${unit}${unit === 'a number' ? '' : ', a whole number'} from ${least} to ${most}`,
  );
}

/** Dollars and cents. @throws UserError with status 2 */
export function parseUsd(option: string, value: string): number {
  const usd = /^\d{1,6}(?:\.\d{1,6})?$/.test(value.trim()) ? Number(value) : 0;
  if (usd > 0) return usd;
  throw usageError(option, value, 'must be an amount of US dollars above 0, such as 2.50');
}

/** Fractions are allowed. @throws UserError with status 2 */
export function parseCpus(option: string, value: string): number {
  const cpus = /^\d{1,6}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : 0;
  if (cpus >= 0.01) return cpus;
  throw usageError(option, value, 'must be a number of CPUs of at least 0.01, such as 1.5');
}

/** @throws UserError with status 2 */
export function parseChoice<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw usageError(option, value, `must be one of ${choices.join(', ')}`);
}

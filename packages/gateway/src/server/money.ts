import type { NanoUsd } from './ports.ts';

const DIGITS = 9;

/** The amount as a decimal number of dollars, exactly. */
export function usdText(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const digits = String(amount < 0n ? -amount : amount).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '').padEnd(2, '0');
  return `${sign}${digits.slice(0, -DIGITS)}.${fraction}`;
}

/** The amount that a decimal number of dollars says; undefined for what is none, negative, or finer than a nano-dollar. */
export function parseUsd(text: string): NanoUsd | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1] ?? '0') * 10n ** BigInt(DIGITS) + BigInt((match[2] ?? '').padEnd(DIGITS, '0'));
}

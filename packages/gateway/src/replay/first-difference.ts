import { isObject } from './normal-form.ts';

/** Where two values differ first, and what stands there in each; shortened. */
export interface Difference {
  /** `messages[2].content`; empty: the whole. */
  readonly field: string;
  readonly recorded: string;
  readonly found: string;
}

/** Characters shown before the first that differs, and from there on. */
const BEFORE = 20;
const FROM = 100;
const NOTHING = 'nothing';

/** In the order of the recorded value. Undefined: they are equal. */
export function firstDifference(recorded: unknown, found: unknown, field = ''): Difference | undefined {
  if (Array.isArray(recorded) && Array.isArray(found)) {
    for (let index = 0; index < Math.max(recorded.length, found.length); index += 1) {
      const difference = firstDifference(recorded[index], found[index], `${field}[${index}]`);
      if (difference) return difference;
    }
    return undefined;
  }
  if (isObject(recorded) && isObject(found)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(found)])) {
      const difference = firstDifference(own(recorded, name), own(found, name), member(field, name));
      if (difference) return difference;
    }
    return undefined;
  }
  if (recorded === found) return undefined;
  if (typeof recorded === 'string' && typeof found === 'string') return textDifference(recorded, found, field);
  return { field, recorded: shown(recorded), found: shown(found) };
}

function textDifference(recorded: string, found: string, field: string): Difference {
  let at = 0;
  while (recorded[at] === found[at]) at += 1;
  const from = Math.max(0, at - BEFORE);
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${JSON.stringify(text.slice(from, at + FROM))}${text.length > at + FROM ? '…' : ''}`;
  return { field, recorded: part(recorded), found: part(found) };
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function member(field: string, name: string): string {
  if (!/^[\w$]+$/.test(name)) return `${field}[${JSON.stringify(name)}]`;
  return field === '' ? name : `${field}.${name}`;
}

function shown(value: unknown): string {
  if (value === undefined) return NOTHING;
  const text = JSON.stringify(value);
  return text.length > BEFORE + FROM ? `${text.slice(0, BEFORE + FROM)}…` : text;
}

import { randomUUID } from 'node:crypto';

/** Where a `Raw` stands in a text until its own is put there. Nobody who writes a text can know it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}:(\\d+)"`, 'g');

/** Of the text that is written just now. */
let raws: string[] = [];

/** JSON that is in the text as it was written before, so that no number or key of it changes. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** Asked by `JSON.stringify`, which can't write it. */
  toJSON(): string {
    return `${MARK}:${raws.push(this.text) - 1}`;
  }
}

export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | Raw
  | readonly Json[]
  | { readonly [name: string]: Json };

/** As `JSON.stringify` does, but for what is a `Raw`. */
export function jsonText(value: Json): string {
  raws = [];
  const text = JSON.stringify(value) ?? 'null';
  return raws.length === 0 ? text : text.replace(MARKED, (_, index) => raws[index] ?? 'null');
}

/** The text if it is a JSON object. */
function objectText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A tool's input where a protocol wants an object. A model sometimes writes none: nothing becomes `{}`, what is no object
 * stays readable as the only member.
 */
export function inputObject(input: string): Raw {
  return new Raw(input.trim() === '' ? '{}' : (objectText(input) ?? JSON.stringify({ input })));
}

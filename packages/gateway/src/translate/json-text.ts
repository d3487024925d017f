/** JSON that is in the text as it was written before, so that no number or key of it changes. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
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

/** As `JSON.stringify` does, without members that are undefined. */
export function jsonText(value: Json): string {
  if (value === undefined) return 'null';
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
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

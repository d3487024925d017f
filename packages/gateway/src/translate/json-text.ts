/** Whether a `Raw` was met since this was last set to false. */
let metRaw = false;

/** JSON that is in the text as it was written before, so that no number or key of it changes. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** Asked by `JSON.stringify`, which can't write it. */
  toJSON(): null {
    metRaw = true;
    return null;
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

/** As `JSON.stringify` does, which writes most values, and is by far the quicker. */
export function jsonText(value: Json): string {
  metRaw = false;
  const text = JSON.stringify(value) ?? 'null';
  return metRaw ? textWithRaws(value) : text;
}

function textWithRaws(value: Json): string {
  if (value === undefined) return 'null';
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(textWithRaws).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textWithRaws(member)}`).join(',')}}`;
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

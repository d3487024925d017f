/** Members of an answer, or of one event of a stream, by their paths from the top: `usage`, `response.usage`. */
export interface Found {
  /** Undefined: it is not there, or is no string. */
  string(path: string): string | undefined;
  number(path: string): number | undefined;
  object(path: string): Record<string, unknown> | undefined;
  isEmptyArray(path: string): boolean;
}

/** As they were written. */
export class FoundTexts extends Map<string, string> implements Found {
  string(path: string): string | undefined {
    return this.#parsed(path, '"') as string | undefined;
  }

  number(path: string): number | undefined {
    const number = Number(this.get(path) ?? Number.NaN);
    return Number.isNaN(number) ? undefined : number;
  }

  object(path: string): Record<string, unknown> | undefined {
    return this.#parsed(path, '{') as Record<string, unknown> | undefined;
  }

  isEmptyArray(path: string): boolean {
    return /^\[\s*\]$/.test(this.get(path) ?? '');
  }

  /** Undefined, too, for what begins as JSON and is none. */
  #parsed(path: string, first: string): unknown {
    const text = this.get(path);
    if (text === undefined || !text.startsWith(first)) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

/** In an object that was parsed. */
export class FoundValues implements Found {
  readonly #object: Readonly<Record<string, unknown>>;

  constructor(object: Readonly<Record<string, unknown>>) {
    this.#object = object;
  }

  string(path: string): string | undefined {
    const value = this.#at(path);
    return typeof value === 'string' ? value : undefined;
  }

  number(path: string): number | undefined {
    const value = this.#at(path);
    return typeof value === 'number' ? value : undefined;
  }

  object(path: string): Record<string, unknown> | undefined {
    const value = this.#at(path);
    return isObject(value) ? value : undefined;
  }

  isEmptyArray(path: string): boolean {
    const value = this.#at(path);
    return Array.isArray(value) && value.length === 0;
  }

  #at(path: string): unknown {
    let value: unknown = this.#object;
    for (const name of namesOf(path)) {
      if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
      value = value[name];
    }
    return value;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The paths of all protocols are few. */
const split = new Map<string, readonly string[]>();

function namesOf(path: string): readonly string[] {
  const known = split.get(path);
  if (known !== undefined) return known;
  const names = path.split('.');
  split.set(path, names);
  return names;
}

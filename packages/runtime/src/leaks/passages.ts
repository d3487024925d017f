import { isTelling, type Leak, normalLine, type Passage } from '@ssebench/contracts/leaks';

/** Looks for passages in texts. A file of an answer has leaked where at least half of its passages are found. */
export class PassageSearch {
  readonly #byFirstLine: Map<string, Passage[]>;
  readonly #totals: Map<string, number>;
  readonly #needles: readonly string[];

  constructor(searched: readonly Passage[]) {
    const passages = searched.map((passage) => ({
      ...passage,
      lines: passage.lines.map((line) => normalLine(bytes(line))),
    }));
    this.#needles = [...new Set(passages.map(({ needle }) => bytes(needle)))];
    this.#byFirstLine = Map.groupBy(passages, ({ lines }) => lines[0] ?? '');
    this.#totals = new Map([...Map.groupBy(passages, keyOf)].map(([key, all]) => [key, all.length]));
  }

  /** What of the answers a text holds. @param text a character for each byte */
  leaksIn(text: string): Pick<Leak, 'origin' | 'file' | 'found' | 'of'>[] {
    // Most texts have nothing of any answer, and are long.
    if (!this.#needles.some((needle) => text.includes(needle))) return [];
    const found = new Map<string, Set<Passage>>();
    // The first line of a file in a tar follows zero bytes.
    const lines = text
      .split(/[\n\0]/)
      .map(normalLine)
      .filter(isTelling);
    for (const [index, line] of lines.entries()) {
      for (const passage of this.#byFirstLine.get(line) ?? []) {
        if (!passage.lines.every((wanted, offset) => lines[index + offset] === wanted)) continue;
        const key = keyOf(passage);
        found.set(key, (found.get(key) ?? new Set()).add(passage));
      }
    }
    return [...found.values()].flatMap((passages) => {
      const [first] = passages;
      const of = first === undefined ? 0 : (this.#totals.get(keyOf(first)) ?? 0);
      if (first === undefined || passages.size * 2 < of) return [];
      return [{ origin: first.origin, file: first.file, found: passages.size, of }];
    });
  }
}

/** As texts are read. */
function bytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function keyOf({ origin, file }: Passage): string {
  return JSON.stringify([origin, file]);
}

import { distance } from 'fastest-levenshtein';

const FARTHEST = 3;

/** The name nearest to `name`: at most three edits away and fewer than half of its length; undefined when none is. */
export function closest(name: string, allowed: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(FARTHEST + 1, name.length / 2);
  for (const candidate of allowed) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** `unknown agent "dumy", did you mean "dummy"? Available: dummy, reference`. */
export function unknownName(kind: string, name: string, allowed: readonly string[]): string {
  const near = closest(name, allowed);
  const found = `unknown ${kind} "${name}"`;
  const available = allowed.length > 0 ? `available: ${allowed.join(', ')}` : `there are none`;
  return near ? `${found}, did you mean "${near}"? (${available})` : `${found}; ${available}`;
}

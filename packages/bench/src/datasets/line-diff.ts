/** How far the two texts may drift apart before they are compared line by line again. */
const WINDOW = 400;

/** The lines in which two texts differ, each with `-` or `+` before it; at most `most`, then how many more there are. */
export function lineDiff(old: string, fresh: string, most: number): string[] {
  const [a, b] = [old.split('\n'), fresh.split('\n')];
  const diff: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
      continue;
    }
    const [removed, added] = nextMeeting(a.slice(i, i + WINDOW), b.slice(j, j + WINDOW));
    diff.push(...a.slice(i, i + removed).map((line) => `-${line}`), ...b.slice(j, j + added).map((line) => `+${line}`));
    i += removed;
    j += added;
  }
  return diff.length > most ? [...diff.slice(0, most), `… ${diff.length - most} more lines`] : diff;
}

/** How many lines to leave on both sides until they are equal again, as few as can be; all of them when they never are. */
function nextMeeting(a: readonly string[], b: readonly string[]): [number, number] {
  const places = new Map<string, number>();
  for (const [index, line] of b.entries()) if (!places.has(line)) places.set(line, index);
  let best: [number, number] = [a.length, b.length];
  for (const [index, line] of a.entries()) {
    const other = places.get(line);
    if (other !== undefined && index + other < best[0] + best[1]) best = [index, other];
  }
  return best;
}

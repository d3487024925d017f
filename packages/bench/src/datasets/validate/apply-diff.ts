import { DiffError, type FileChange, type Hunk } from './unified-diff.ts';

/** The files of a tree, as bytes in latin1 characters; undefined for one that is not there. */
export type ReadSource = (path: string) => string | undefined;

/**
 * What a tree is after a diff, by the rules of `git apply`: context must match byte for byte, lines may have moved.
 * Files whose binary content changes are left as they are.
 * @throws DiffError with the line of the hunk that does not apply
 */
export function applyDiff(changes: readonly FileChange[], read: ReadSource): ReadSource {
  const changed = new Map<string, string | undefined>();
  const now: ReadSource = (path) => (changed.has(path) ? changed.get(path) : read(path));
  for (const { line, oldPath, newPath, hunks, isBinary } of changes) {
    if (isBinary) continue;
    const name = newPath ?? oldPath ?? '';
    const old = oldPath === null ? '' : now(oldPath);
    if (old === undefined) throw new DiffError(line, `${name} is not in the source`);
    if (oldPath === null && now(name) !== undefined) throw new DiffError(line, `${name} is in the source already`);
    const result = applyHunks(old, hunks, name);
    if (oldPath !== null && oldPath !== newPath) changed.set(oldPath, undefined);
    if (newPath !== null) changed.set(newPath, result);
    else if (result !== '') throw new DiffError(line, `${name} is removed, but holds more than the diff says`);
  }
  return now;
}

function applyHunks(old: string, hunks: readonly Hunk[], name: string): string {
  const lines = old === '' ? [] : old.split(/(?<=\n)/);
  let drift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);
    const after = hunk.lines.filter(({ kind }) => kind !== '-').map(({ text }) => text);
    const expected = Math.max(0, hunk.oldStart - 1) + drift;
    const found = place(lines, before, expected, {
      atBegin: hunk.oldStart <= 1 && before.length > 0,
      atEnd: hunk.lines.at(-1)?.kind !== ' ',
    });
    if (found === undefined)
      throw new DiffError(hunk.line, `hunk ${index + 1} of ${hunks.length} does not apply to ${name}`);
    lines.splice(found, before.length, ...after);
    drift = found - Math.max(0, hunk.oldStart - 1) + after.length - before.length;
  }
  return lines.join('');
}

/** The position nearest to the expected one where the lines stand. */
function place(
  lines: readonly string[],
  wanted: readonly string[],
  expected: number,
  { atBegin, atEnd }: { atBegin: boolean; atEnd: boolean },
): number | undefined {
  const last = lines.length - wanted.length;
  const fits = (at: number) =>
    at >= 0 &&
    at <= last &&
    (!atBegin || at === 0) &&
    (!atEnd || at === last) &&
    wanted.every((text, index) => lines[at + index] === text);
  for (let distance = 0; distance <= Math.max(lines.length, expected); distance++) {
    if (fits(expected - distance)) return expected - distance;
    if (fits(expected + distance)) return expected + distance;
  }
  return undefined;
}

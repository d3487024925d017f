/** A line of a hunk with its line end; the last one of a file may have none. */
export interface HunkLine {
  kind: ' ' | '+' | '-';
  /** Bytes as latin1 characters. */
  text: string;
}

export interface Hunk {
  /** Of the diff, from 1. */
  line: number;
  /** Of the old file, from 1; 0 for an empty one. */
  oldStart: number;
  lines: HunkLine[];
}

/** What a diff does to one file. Paths are relative to the source, without the prefixes. */
export interface FileChange {
  line: number;
  /** Null for a new file. */
  oldPath: string | null;
  /** Null for a removed file. */
  newPath: string | null;
  hunks: Hunk[];
  isBinary: boolean;
}

export class DiffError extends Error {
  /** Of the diff, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = 'DiffError';
    this.line = line;
  }
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads a git diff with the prefixes `a/` and `b/`.
 * @param diff bytes as latin1 characters
 * @throws DiffError for the first thing that is none, and for a diff that changes nothing
 */
export function parseDiff(diff: string): FileChange[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const changes: FileChange[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.startsWith('diff --git ')) {
      const [change, next] = readGitChange(lines, at);
      changes.push(change);
      at = next;
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      const change: FileChange = { line: at + 1, oldPath: null, newPath: null, hunks: [], isBinary: false };
      at = readHunks(lines, at, change);
      changes.push(change);
    } else if (HUNK.test(line)) {
      throw new DiffError(at + 1, 'a hunk of no file: no "diff --git" before it');
    } else if (changes.length > 0 && /^[ +-]/.test(line) && !line.startsWith('-- ')) {
      throw new DiffError(at + 1, `the hunk before it has more lines than it says, found "${line.slice(0, 60)}"`);
    } else {
      at++;
    }
  }
  if (changes.length === 0) throw new DiffError(1, 'holds no change; must be a git diff');
  return changes;
}

function readGitChange(lines: readonly string[], start: number): [FileChange, number] {
  const named = namesOf(lines[start] ?? '', start + 1);
  const change: FileChange = { line: start + 1, oldPath: named, newPath: named, hunks: [], isBinary: false };
  let at = start + 1;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, word, path = ''] = /^(rename from|rename to|copy from|copy to) (.+)$/.exec(line) ?? [];
    if (word === 'rename from' || word === 'copy from') change.oldPath = unquoted(path, at + 1);
    else if (word === 'rename to' || word === 'copy to') change.newPath = unquoted(path, at + 1);
    else if (line.startsWith('new file mode')) change.oldPath = null;
    else if (line.startsWith('deleted file mode')) change.newPath = null;
    else if (line.startsWith('GIT binary patch')) {
      change.isBinary = true;
      while (at + 1 < lines.length && !lines[at + 1]?.startsWith('diff --git ')) at++;
    } else if (line.startsWith('Binary files ')) {
      throw new DiffError(at + 1, 'a binary file without its bytes; make the diff with --binary');
    } else if (line.startsWith('--- ')) {
      return [change, readHunks(lines, at, change)];
    } else if (!/^(?:index|old mode|new mode|similarity index|dissimilarity index) /.test(line)) break;
  }
  return [change, at];
}

/** From the line with `---` on. @returns the index of the line after them */
function readHunks(lines: readonly string[], start: number, change: FileChange): number {
  change.oldPath = prefixed('a/', (lines[start] ?? '').slice(4), start + 1);
  if (!lines[start + 1]?.startsWith('+++ ')) throw new DiffError(start + 2, 'must be "+++ b/…" after "--- a/…"');
  change.newPath = prefixed('b/', (lines[start + 1] ?? '').slice(4), start + 2);
  let at = start + 2;
  while (HUNK.test(lines[at] ?? '')) at = readHunk(lines, at, change);
  if (change.hunks.length === 0) throw new DiffError(at + 1, `no hunk for ${change.newPath ?? change.oldPath}`);
  return at;
}

function readHunk(lines: readonly string[], start: number, change: FileChange): number {
  const [, oldStart = '0', oldCount = '1', , newCount = '1'] = HUNK.exec(lines[start] ?? '') ?? [];
  const hunk: Hunk = { line: start + 1, oldStart: Number(oldStart), lines: [] };
  let [old, fresh] = [Number(oldCount), Number(newCount)];
  let at = start + 1;
  for (; old > 0 || fresh > 0 || lines[at]?.startsWith('\\'); at++) {
    const line = lines[at];
    if (line === undefined)
      throw new DiffError(at, `the diff ends within a hunk; ${old} old and ${fresh} new lines are missing`);
    const kind = line === '' ? ' ' : line[0];
    if (kind === '\\') {
      const last = hunk.lines.at(-1);
      if (last) last.text = last.text.replace(/\n$/, '');
      continue;
    }
    if (kind !== ' ' && kind !== '+' && kind !== '-') {
      throw new DiffError(at + 1, `found "${line.slice(0, 60)}" within a hunk; lines begin with a space, + or -`);
    }
    if (kind !== '+') old--;
    if (kind !== '-') fresh--;
    if (old < 0 || fresh < 0) throw new DiffError(hunk.line, 'the hunk has other lines than it says');
    hunk.lines.push({ kind, text: `${line.slice(1)}\n` });
  }
  change.hunks.push(hunk);
  return at;
}

/** `a/x b/x` → `x`. */
function namesOf(line: string, number: number): string {
  const text = line.slice('diff --git '.length);
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text);
  if (quoted) return prefixed('b/', quoted[2] ?? '', number) ?? '';
  const half = (text.length - 1) / 2;
  const [left, right] = [text.slice(0, half), text.slice(half + 1)];
  if (left.startsWith('a/') && right === `b/${left.slice(2)}`) return asUtf8(left.slice(2));
  if (/^a\/.+ b\/.+$/.test(text)) return asUtf8(text.replace(/^.* b\//, ''));
  throw new DiffError(number, `found "${line}"; names must have the prefixes a/ and b/`);
}

function prefixed(prefix: 'a/' | 'b/', written: string, line: number): string | null {
  const path = unquoted(written.replace(/\t.*$/, '').replace(/\r$/, ''), line);
  if (path === '/dev/null') return null;
  if (!path.startsWith(prefix)) throw new DiffError(line, `found "${path}"; names must have the prefixes a/ and b/`);
  const name = path.slice(2);
  if (name.split('/').some((part) => part === '..' || part === ''))
    throw new DiffError(line, `"${name}" leaves the source`);
  return name;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

/** A name that git put in quotes, as it is. */
function unquoted(path: string, line: number): string {
  if (!path.startsWith('"')) return asUtf8(path);
  if (!/^"(?:[^"\\]|\\(?:[0-7]{3}|.))*"$/s.test(path))
    throw new DiffError(line, `found ${path}, a name in broken quotes`);
  const bytes = path
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/gs, (_, code: string) =>
      /^[0-7]{3}$/.test(code) ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (ESCAPES[code] ?? code),
    );
  return asUtf8(bytes);
}

function asUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

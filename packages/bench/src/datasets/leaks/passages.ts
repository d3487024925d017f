import { isTelling, normalLine, type Passage } from '@ssebench/contracts/leaks';

/** Lines of one passage: so many in a row are no chance. */
const LINES = 3;
/** Fewer lines must be so long together: more than a sign check that returns, which many functions of a project share. Characters. */
const TELLING_LENGTH = 28;

/**
 * What of a unified diff would give it away where it is found: its added lines, three by three, file by file. Lines of little but
 * signs are left out, and so are additions too short to be told from chance.
 */
export function passagesOf(origin: Passage['origin'], diff: string): Passage[] {
  return addedRuns(diff).flatMap(({ file, run }) => {
    const lines = run.filter((line) => isTelling(normalLine(line)));
    const passages: Passage[] = [];
    for (let at = 0; at < lines.length; at += LINES) {
      // The last is as long as the others, though it overlaps the one before.
      const raw = lines.slice(Math.max(0, Math.min(at, lines.length - LINES)), at + LINES).slice(0, LINES);
      const normal = raw.map(normalLine);
      if (normal.length < LINES && normal.join('').length < TELLING_LENGTH) continue;
      passages.push({ origin, file, lines: normal, needle: needleOf(raw) });
    }
    return passages;
  });
}

/** Added lines that follow one another, without their sign. */
function addedRuns(diff: string): { file: string; run: string[] }[] {
  const runs: { file: string; run: string[] }[] = [];
  let file = '';
  let run: string[] | undefined;
  let isHeader = true;
  for (const line of diff.split(/\r?\n/)) {
    if (line.startsWith('diff --git ')) isHeader = true;
    else if (line.startsWith('@@')) isHeader = false;
    else if (isHeader && line.startsWith('+++ ')) file = line.slice(4).replace(/^b\//, '');
    if (isHeader || !line.startsWith('+')) {
      // What a hunk takes away stands between lines that it adds.
      if (!line.startsWith('-')) run = undefined;
      continue;
    }
    if (!run) {
      run = [];
      runs.push({ file, run });
    }
    run.push(line.slice(1));
  }
  return runs;
}

/** White space may be another in a copy, at the edges and where it is more than a space. */
function needleOf(lines: readonly string[]): string {
  const parts = lines.flatMap((line) => line.trim().split(/\t| {2,}/));
  return parts.reduce((a, b) => (b.length > a.length ? b : a));
}

import type { Diff } from './check-diffs.ts';
import { CONFIG_FILE, type NamedFile, type TaskContext } from './task-context.ts';

/** Shorter lines, such as `return -1;`, stand in many texts. Letters and digits. */
const TELLING = 12;

/** That what the agent reads does not hold the fix. Source: seeds/add-a-task, "The proofs of concept and the reports". */
export function checkReports(context: TaskContext, files: readonly NamedFile[], patch: Diff | undefined): void {
  if (!patch) return;
  const { tree, config, lineOf, report } = context;
  const fix = addedLines(patch);
  for (const { file } of files.filter(({ key }) => key.startsWith('task_description.'))) {
    const text = file === undefined ? undefined : tree.text(file);
    if (file === undefined || text === undefined) continue;
    const found = leak(text, fix);
    if (found) report('report-has-fix', { file, line: found.line }, told(found, patch));
  }
  for (const key of ['issue', 'bug_description'] as const) {
    const found = leak(config.task_description[key] ?? '', fix);
    const place = { file: CONFIG_FILE, line: lineOf(['task_description', key]), key: `task_description.${key}` };
    if (found) report('report-has-fix', place, told(found, patch));
  }
}

interface Leak {
  line: number;
  /** Of the diff. */
  source: number;
}

function told({ source }: Leak, { file }: Diff): string {
  return `holds a line that the fix adds (${file}:${source}); the agent must not read it`;
}

/** The lines that only the fix has, as they compare, with their place in the diff. */
function addedLines({ changes }: Diff): Map<string, number> {
  const hunks = changes.flatMap((change) => change.hunks);
  const old = new Set(
    hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== '+').map(({ text }) => plain(text))),
  );
  const added = new Map<string, number>();
  for (const hunk of hunks) {
    for (const [index, { kind, text }] of hunk.lines.entries()) {
      const line = plain(text);
      const isTelling = line.replace(/[^\p{L}\p{N}]/gu, '').length >= TELLING;
      if (kind === '+' && isTelling && !old.has(line) && !added.has(line)) added.set(line, hunk.line + 1 + index);
    }
  }
  return added;
}

function leak(text: string, fix: ReadonlyMap<string, number>): Leak | undefined {
  for (const [index, line] of text.split('\n').entries()) {
    if (line.length < TELLING) continue;
    const quoted = plain(line).replace(/^[+>|`]+/, '');
    const source = fix.get(quoted) ?? fix.get(plain(line));
    if (source !== undefined) return { line: index + 1, source };
  }
  return undefined;
}

/** Without the white space that indents, and that differs between copies of a line. */
function plain(line: string): string {
  return line.replace(/\s+/g, '');
}

import type { Report } from './finding.ts';
import type { TaskTree } from './task-tree.ts';

/** Marks what the author of a new task has yet to write. */
export const FILL_IN = 'FILL-IN';
const MARK = new RegExp(`${FILL_IN}: *([^"]*)`);
/** Where `ssebench task new` leaves marks; a project's own files may say anything. */
const MARKED = /^(?:Dockerfile|README\.md|sse\/.*)$/;

/** Reports each mark that is left. */
export function checkFillIns(tree: TaskTree, report: Report): void {
  for (const file of tree.files) {
    if (!MARKED.test(file) || !tree.bytes(file)?.includes(FILL_IN)) continue;
    for (const [index, line] of (tree.text(file) ?? '').split('\n').entries()) {
      const mark = MARK.exec(line);
      if (mark) report('fill-in', { file, line: index + 1 }, `still to be written: ${mark[1]?.trim() || 'this line'}`);
    }
  }
}

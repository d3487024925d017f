import type { DatasetManifest, ManifestTask } from '@ssebench/contracts/dataset-manifest';

/** Files that a line names. */
const MOST_FILES = 5;

/** What a dataset has that its manifest does not say, a line for each task. */
export function manifestDifferences(old: DatasetManifest, fresh: DatasetManifest): string[] {
  const lines: string[] = [];
  if (old.dataset !== fresh.dataset) lines.push(`dataset: is ${fresh.dataset}, the manifest says ${old.dataset}`);
  if (old.version !== fresh.version) lines.push(`version: is ${fresh.version}, the manifest says ${old.version}`);
  const [before, after] = [old, fresh].map(({ tasks }) => new Map(tasks.map((task) => [task.id, task])));
  for (const [id, task] of after ?? []) {
    const known = before?.get(id);
    if (!known) lines.push(`${id}: is not in the manifest`);
    else lines.push(...changeOf(known, task));
  }
  for (const id of before?.keys() ?? []) if (!after?.has(id)) lines.push(`${id}: is in the manifest alone`);
  return lines;
}

function changeOf({ files: oldFiles = {}, ...old }: ManifestTask, { files = {}, ...task }: ManifestTask): string[] {
  const paths = [...new Set([...Object.keys(oldFiles), ...Object.keys(files)])].sort();
  const changed = paths.filter((path) => oldFiles[path] !== files[path]);
  const named = changed.slice(0, MOST_FILES).join(', ');
  const more = changed.length > MOST_FILES ? ` and ${changed.length - MOST_FILES} more` : '';
  if (changed.length > 0) return [`${task.id}: changed: ${named}${more}`];
  return JSON.stringify(old) === JSON.stringify(task) ? [] : [`${task.id}: is described otherwise`];
}

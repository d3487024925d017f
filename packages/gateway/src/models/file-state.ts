import { statSync } from 'node:fs';

/** A text that changes when a file or folder does; empty when there is none. */
export function fileState(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : '';
}

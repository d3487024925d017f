import { isAbsolute, relative } from 'node:path';

/** A path as a message shows it: relative to the current directory when it lies beneath it. */
export function showPath(path: string, cwd: string = process.cwd()): string {
  const beneath = relative(cwd, path);
  if (beneath === '') return '.';
  return beneath.startsWith('..') || isAbsolute(beneath) ? path : beneath;
}

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { EVIDENCE } from '@ssebench/contracts/task-expect';
import { DOCKERIGNORE, ignoredPaths, PatternError } from '@ssebench/engine/dockerignore';
import type { Report } from './finding.ts';

/** Scripts, diffs and reports are far smaller. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
/** Folders within folders; a task has a few. */
const MAX_DEPTH = 64;

/** What a task folder holds, read once. Paths are POSIX and relative to the folder. */
export interface TaskTree {
  /** Absolute, links resolved. */
  root: string;
  /** Regular files, and links to such within the folder. */
  files: ReadonlySet<string>;
  /** Folders, the task folder itself (the empty path) left out. */
  folders: ReadonlySet<string>;
  /** Links that lead nowhere, or to a folder; a project may have them. */
  links: ReadonlySet<string>;
  /** Links out of the folder. Each is reported, so that nothing more need be said of what lies there. */
  outside: ReadonlySet<string>;
  /** The bytes of a file of the tree, at most 8 MiB; undefined for a larger one, and for one that can't be read, which is reported. */
  bytes(path: string): Buffer | undefined;
  /** The same as text; undefined also for what has a byte of 0. */
  text(path: string): string | undefined;
  isExecutable(path: string): boolean;
  /** Why the build of the image does not see what is at a path; undefined when it does. */
  leftOut(path: string): 'dockerignore' | 'evidence' | undefined;
}

/** Looks through a task folder, and reports what can't be shipped: links out of it, special files, names that are no text. */
export function readTaskTree(dir: string, report: Report): TaskTree {
  const root = realpathSync(dir);
  const files = new Set<string>();
  const folders = new Set<string>();
  const links = new Set<string>();
  const outside = new Set<string>();
  const walk = (folder: string, depth: number): void => {
    for (const entry of entriesOf(join(root, folder), folder, report)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path.includes('\ufffd')) report('file-name', { file: path }, 'its name is not UTF-8');
      else if (entry.isFile()) files.add(path);
      else if (entry.isSymbolicLink()) addLink(root, path, { files, links, outside }, report);
      else if (!entry.isDirectory()) report('special-file', { file: path }, 'is neither a file, a folder nor a link');
      else if (depth === MAX_DEPTH) report('unreadable', { file: path }, `lies deeper than ${MAX_DEPTH} folders`);
      else {
        folders.add(path);
        walk(path, depth + 1);
      }
    }
  };
  walk('', 0);
  const known = new Map<string, Buffer | undefined>();
  const bytes = (path: string): Buffer | undefined => {
    if (!known.has(path)) known.set(path, files.has(path) ? readBytes(join(root, path), path, report) : undefined);
    return known.get(path);
  };
  const text = (path: string): string | undefined => {
    const found = bytes(path);
    return found === undefined || found.includes(0) ? undefined : found.toString('utf8');
  };
  const isIgnored = ignoredBy(text(DOCKERIGNORE) ?? '', report);
  const isEvidence = ignoredPaths('', Object.values(EVIDENCE));
  return {
    root,
    files,
    folders,
    links,
    outside,
    bytes,
    text,
    isExecutable: (path) => (statSync(join(root, path)).mode & 0o111) !== 0,
    leftOut: (path) => (isEvidence(path) ? 'evidence' : isIgnored(path) ? 'dockerignore' : undefined),
  };
}

function entriesOf(path: string, shown: string, report: Report) {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    report('unreadable', { file: shown || null }, `can't be read: ${(error as Error).message}`);
    return [];
  }
}

function addLink(
  root: string,
  path: string,
  { files, links, outside }: { files: Set<string>; links: Set<string>; outside: Set<string> },
  report: Report,
): void {
  let target: string;
  try {
    target = realpathSync(join(root, path));
  } catch {
    // It leads nowhere, which a project's own tree may want; what names it is told that it is no file.
    links.add(path);
    return;
  }
  if (target !== root && !target.startsWith(root + sep)) {
    outside.add(path);
    report('link-out', { file: path }, `is a link out of the task folder, to ${target}`);
  } else if (statSync(target).isFile()) files.add(path);
  else links.add(path);
}

function readBytes(path: string, shown: string, report: Report): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(file).size > MAX_TEXT_BYTES ? undefined : readFileSync(file);
  } catch (error) {
    report('unreadable', { file: shown }, `can't be read: ${(error as Error).message}`);
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** `path` beneath `folder`, as `folder` names it; undefined when it lies elsewhere. Both are normalized. */
export function beneath(folder: string, path: string): string | undefined {
  const start = folder === '/' ? folder : `${folder}/`;
  return path.length > start.length && path.startsWith(start) ? path.slice(start.length) : undefined;
}

/** Nothing is left out by rules that can't be read: what else is wrong with the folder is told all the same. */
function ignoredBy(text: string, report: Report): (path: string) => boolean {
  try {
    return ignoredPaths(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    for (const line of error.lines) report('dockerignore', { file: DOCKERIGNORE, line }, 'is no pattern');
    return () => false;
  }
}

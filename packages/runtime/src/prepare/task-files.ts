import { posix } from 'node:path';
import { UnusableImageError } from './unusable.ts';

/** The parts of a task's config that image preparation goes by. */
export interface TaskFiles {
  source: string;
  /** Paths below `/ssebench`, normalized. */
  scripts: string[];
  reports: string[];
  /** Reference patch, hidden tests, PoCs. */
  answers: string[];
}

/** An entry below `/ssebench`. Directories come before what they hold. */
export interface TaskEntry {
  path: string;
  kind: 'file' | 'directory' | 'other';
}

/**
 * Reads these parts leniently: the dataset's rules were checked on the host, and unknown keys are no matter here.
 * @throws UnusableImageError for what can't be meant
 */
export function taskFilesOf(config: unknown): TaskFiles {
  const top = mapping(config, 'config.yaml');
  const scripts = mapping(top['scripts'] ?? {}, 'scripts');
  const files = mapping(top['files'] ?? {}, 'files');
  const description = mapping(top['task_description'] ?? {}, 'task_description');
  const source = top['source'];
  if (typeof source !== 'string' || !source.trim().startsWith('/')) {
    throw new UnusableImageError('/ssebench/config.yaml: source must be an absolute path');
  }
  const { poc, ...others } = files;
  return {
    source: posix.normalize(source.trim()).replace(/\/+$/, ''),
    scripts: paths([scripts['build'], scripts['run'], scripts['test']], 'scripts'),
    reports: paths(list(description['crash_report']), 'task_description.crash_report'),
    answers: paths(
      [others['patch'], others['future_test'], others['security_test'], others['intent_test'], ...list(poc)],
      'files',
    ),
  };
}

/** The config as the work image holds it: no upstream fix, and no comments. Which PoCs and hidden tests there are stays. */
export function withoutAnswerKeys(config: unknown): Record<string, unknown> {
  const { patch_commit: _commit, reference: _links, ...rest } = mapping(config, 'config.yaml');
  return rest;
}

/** Directories that hold nothing but answers, whatever the config names of them. */
const ANSWER_DIRECTORIES = ['diffs', 'pocs'];

/**
 * What the work image keeps of `/ssebench`: the config, the scripts and the files beside them, the reports, and the
 * directories that scripts name by absolute path (spec/runtime §3.4). Never an answer, wherever it lies.
 */
export function keptEntries(
  task: TaskFiles,
  entries: readonly TaskEntry[],
  scriptTexts: readonly string[],
): Set<string> {
  const answers = new Set(task.answers);
  const scriptDirectories = new Set(task.scripts.map((path) => posix.dirname(path)).filter((path) => path !== '.'));
  const support = supportDirectories(task, entries, scriptTexts);
  const kept = new Set<string>();
  for (const { path, kind } of entries) {
    const top = path.split('/')[0] ?? '';
    if (kind === 'directory' || answers.has(path) || ANSWER_DIRECTORIES.includes(top)) continue;
    const wanted =
      path === 'config.yaml' ||
      task.scripts.includes(path) ||
      task.reports.includes(path) ||
      top === 'reports' ||
      support.has(top) ||
      (kind === 'file' && scriptDirectories.has(posix.dirname(path)));
    if (wanted) kept.add(path);
  }
  for (const { path, kind } of entries) {
    if (kind === 'directory' && (support.has(path.split('/')[0] ?? '') || holdsAny(path, kept))) kept.add(path);
  }
  return kept;
}

/** Source: spec/runtime §3.4, "Support directories". */
function supportDirectories(
  task: TaskFiles,
  entries: readonly TaskEntry[],
  scriptTexts: readonly string[],
): Set<string> {
  const named = new Set<string>();
  for (const text of scriptTexts) {
    for (const match of text.matchAll(/(?<![A-Za-z0-9._/-])\/ssebench\/([A-Za-z0-9._-]+)/g)) named.add(match[1] ?? '');
  }
  const closed = new Set(['config.yaml', ...task.answers, ...task.scripts]);
  const support = new Set<string>();
  for (const { path, kind } of entries) {
    if (kind === 'directory' && named.has(path) && !ANSWER_DIRECTORIES.includes(path) && !holdsAny(path, closed))
      support.add(path);
  }
  return support;
}

function holdsAny(directory: string, paths: ReadonlySet<string>): boolean {
  for (const path of paths) if (path.startsWith(`${directory}/`)) return true;
  return false;
}

function mapping(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UnusableImageError(`/ssebench/config.yaml: ${what} must be a mapping`);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function paths(values: readonly unknown[], what: string): string[] {
  const found: string[] = [];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    const path = typeof value === 'string' ? posix.normalize(value.trim()) : '';
    if (path === '' || path === '.' || path.startsWith('/') || path.split('/')[0] === '..') {
      throw new UnusableImageError(
        `/ssebench/config.yaml: ${what}: ${JSON.stringify(value)} is no path below /ssebench`,
      );
    }
    found.push(path);
  }
  return found;
}

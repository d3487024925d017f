import { basename, dirname, posix } from 'node:path';
import { isAllowed } from '@ssebench/contracts/difficulty';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { RunSettings } from '@ssebench/contracts/run-settings';
import type { TaskConfig } from '@ssebench/contracts/task-config';
import type { ContainerEngine } from '@ssebench/engine/port';
import { type Renaming, renameEntries, tarName } from '@ssebench/engine/tar-rename';

/**
 * Putting the task's answers where a run needs them. They come from a created container of the tool image (`from`) and
 * go into one that was created and not started (`to`), owned by root and beneath a directory that only root can enter.
 */
interface Transfer {
  engine: Pick<ContainerEngine, 'getArchive' | 'putArchive'>;
  from: string;
  to: string;
  signal: AbortSignal;
}

/** Whether a run's agent container gets anything of them. */
export function wantsAnswers(
  { grading, difficulty, reference_run }: Pick<RunSettings, 'grading' | 'difficulty' | 'reference_run'>,
  config: TaskConfig,
): boolean {
  return grading === 'same' || reference_run || checkMaterial(config, difficulty).size > 0;
}

/** Levels 0 and 1: just what the checks that the level allows need, and nothing of the fix. */
export async function putCheckMaterial(transfer: Transfer, config: TaskConfig, difficulty: number): Promise<void> {
  for (const path of checkMaterial(config, difficulty)) {
    const prefix = tarName(prefixOf(path));
    await copy(transfer, `${CONTAINER.task}/${path}`, CONTAINER.task, { name: (name) => `${prefix}${name}` });
  }
}

function checkMaterial(config: TaskConfig, difficulty: number): Set<string> {
  const paths = new Set<string>();
  const { poc: pocs, patch, future_test, security_test, intent_test } = config.files;
  const withheld = [patch, future_test, security_test, intent_test].flatMap((path) => (path ? [plain(path)] : []));
  if (isAllowed('run_poc', difficulty)) for (const poc of pocs ?? []) paths.add(pocRoot(plain(poc), withheld));
  if (isAllowed('intent_test', difficulty) && future_test) paths.add(plain(future_test));
  return paths;
}

/** `same`: all of the task's files and the clean copy. */
export async function putEverything(transfer: Transfer, source: string): Promise<void> {
  await copy(transfer, CONTAINER.task, '/', { name: (name) => name });
  const from = tarName(basename(source));
  const to = basename(CONTAINER.repo);
  await copy(transfer, source, '/', {
    name: (name) => to + name.slice(from.length),
    mode: (name) => (name.replace(/\/$/, '') === to ? 0o700 : undefined),
  });
}

/** The `reference` agent's patch, readable by every user of the container. */
export async function putReferencePatch(transfer: Transfer, patch: string): Promise<void> {
  const root = dirname(CONTAINER.referencePatch).slice(1);
  const file = CONTAINER.referencePatch.slice(1);
  await copy(transfer, `${CONTAINER.task}/${patch}`, '/', {
    name: () => file,
    mode: () => 0o644,
    first: [{ name: root, mode: 0o755 }],
  });
}

/**
 * A PoC's top directory, since a PoC may need what lies beside it, such as the module that a Go program belongs to;
 * the file alone when that directory also holds an answer that the level withholds.
 */
function pocRoot(poc: string, withheld: readonly string[]): string {
  const [top, ...below] = poc.split('/');
  const shared = withheld.some((path) => path.startsWith(`${top}/`));
  return below.length === 0 || shared || top === undefined ? poc : top;
}

/** A config may write `./pocs/a`, or `x/../pocs/a`. */
function plain(path: string): string {
  return posix.normalize(path);
}

function prefixOf(path: string): string {
  const directory = dirname(path);
  return directory === '.' ? '' : `${directory}/`;
}

/** Streams `path` of one container into `directory` of the other. Links keep their targets. */
async function copy(
  { engine, from, to, signal }: Transfer,
  path: string,
  directory: string,
  renaming: Renaming,
): Promise<void> {
  const source = await engine.getArchive(from, path, { signal });
  await engine.putArchive(to, directory, renameEntries(source, renaming), { signal });
}

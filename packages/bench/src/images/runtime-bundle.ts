import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { hashFiles } from '../config/task-files.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';

/** What the bundle is made from; tests don't go in. */
const SOURCES = ['packages/runtime/src', 'packages/runtime/scripts', 'packages/sdk/src', 'packages/contracts/src'];
const SCRIPT = 'packages/runtime/scripts/bundle.ts';
/** Our own record in the bundle's directory, written last. */
const DIGESTS = 'digests.json';
const LIMIT_MS = 5 * 60 * 1000;
const STALE_MS = 7 * 24 * 60 * 60 * 1000;

/** The programs that run in containers, bundled. */
export interface RuntimeBundle {
  /** Absolute; holds the files. */
  dir: string;
  /** Of each file, SHA-256, lowercase hex. */
  digests: Readonly<Record<string, string>>;
}

/** The bundle of the sources as they are: from the cache, else made. @throws FaultError when it can't be made */
export async function runtimeBundle(
  context: Pick<ImageContext, 'home' | 'progress' | 'signal'>,
): Promise<RuntimeBundle> {
  const cache = join(context.home, '.cache');
  const dir = join(cache, `runtime-${short(sourceKey(context.home))}`);
  const known = readDigests(dir);
  if (known) return { dir, digests: known };
  const { progress } = context;
  progress.step('runtime bundle');
  await mkdir(cache, { recursive: true });
  const made = mkdtempSync(join(cache, 'bundling-'));
  try {
    await bundle(context, made);
    const digests = Object.fromEntries(filesIn(made).map((name) => [name, digestOf(join(made, name))]));
    writeFileSync(join(made, DIGESTS), JSON.stringify(digests));
    moveTo(dir, made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  removeStale(cache, dir);
  progress.done(false);
  const digests = readDigests(dir);
  if (!digests) throw refusal(`${dir}: the bundle is not complete`);
  return { dir, digests };
}

/** Which sources and libraries a bundle would be made from. */
function sourceKey(home: string): string {
  const parts: Record<string, string[]> = { lock: [digestOf(join(home, 'package-lock.json'))] };
  for (const folder of SOURCES) {
    const files = Object.entries(hashFiles(join(home, folder)));
    parts[folder] = files.filter(([path]) => !path.endsWith('.test.ts')).flat();
  }
  return buildKey(parts);
}

async function bundle({ home, signal }: Pick<ImageContext, 'home' | 'signal'>, out: string): Promise<void> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const child = spawn(process.execPath, [join(home, SCRIPT), '--out', out], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: ending,
  });
  const [[status], words] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  if (status !== 0) throw refusal(`${SCRIPT} failed:\n${words.trim().split('\n').slice(-30).join('\n')}`);
}

/** Another process may have made the same meanwhile: then that one stays. */
function moveTo(dir: string, made: string): void {
  try {
    renameSync(made, dir);
  } catch (error) {
    if (readDigests(dir)) return;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    rmSync(dir, { recursive: true });
    renameSync(made, dir);
  }
}

/** Relative to the directory. */
function filesIn(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

function readDigests(dir: string): RuntimeBundle['digests'] | undefined {
  try {
    return JSON.parse(readFileSync(join(dir, DIGESTS), 'utf8'));
  } catch {
    // Not there, or damaged: it is made anew.
    return undefined;
  }
}

function removeStale(cache: string, current: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (path === current || !/^(runtime|bundling)-/.test(name)) continue;
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { recursive: true, force: true });
  }
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function refusal(detail: string): FaultError {
  return new FaultError(fault('image_build_failed', `runtime: ${detail}`, { blame: 'infra' }));
}

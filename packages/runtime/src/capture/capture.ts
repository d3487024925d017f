import { randomBytes } from 'node:crypto';
import { rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CAPS } from '@ssebench/contracts/caps';
import type { ChangedFile } from '@ssebench/contracts/daemon-api';
import { FaultError, fault } from '@ssebench/contracts/faults';
import type { CaptureReport } from '@ssebench/contracts/work-outcome';
import { flushDirectory } from '../system/atomic-file.ts';
import { GitError } from './git.ts';
import { PatchFile, PatchTooLargeError } from './patch-file.ts';
import { type BytePath, toDisplay } from './paths.ts';
import { type CaptureOptions, type Snapshot, withSnapshot } from './snapshot.ts';

const DIFF = [
  'diff',
  '--binary',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

export interface PatchOptions extends CaptureOptions {
  /** Of the patch. Default: as every run has it. */
  maxBytes?: number;
  /** Where the patch goes, in a directory that only we can write. Default: a new file in `scratchDir`. Replaced atomically. */
  patchPath?: string;
}

export interface Patch {
  /** Owner and mode: ours, 0600. The caller removes it. */
  patchPath: string;
  report: CaptureReport;
}

/**
 * The agent's changes as a patch, after its phase: complete, or an error that says why. Everything that the tree's own
 * `.gitignore` files do not ignore; what git can't represent is left out and listed, and so is what only the agent's rules
 * ignore.
 * @throws FaultError `baseline_missing` | `capture_failed` | `patch_too_large`; the file system's error for our own file
 */
export function captureTree(options: PatchOptions): Promise<Patch> {
  return withSnapshot(options, true, async (snapshot) => {
    const large = snapshot.skipped.filter((skip) => skip.reason === 'too_large').map((skip) => skip.path);
    if (large.length > 0) {
      const more = large.length > 10 ? ` and ${large.length - 10} more` : '';
      throw new FaultError(
        fault('patch_too_large', `too large to be captured: ${large.slice(0, 10).join(', ')}${more}`),
      );
    }
    return writePatch(snapshot, options);
  });
}

/**
 * The same while the agent works: what is closed or too large is left out and listed, and nothing in the tree is touched but a
 * FIFO, socket or device in place of a rule file of git's, which is removed.
 * @throws as {@link captureTree}
 */
export function liveDiff(options: PatchOptions): Promise<Patch> {
  return withSnapshot(options, false, (snapshot) => writePatch(snapshot, options));
}

/**
 * The patch of {@link liveDiff} in memory: of the container's disk it takes no more than an index.
 * @throws FaultError `baseline_missing` | `capture_failed`, also for a patch of more than `maxBytes`
 */
export function livePatch({ maxBytes, ...options }: CaptureOptions & { maxBytes: number }): Promise<Buffer> {
  return withSnapshot(options, false, async (snapshot) => {
    return (await snapshot.git([...DIFF, 'HEAD'], { capBytes: maxBytes })).stdout.toBuffer();
  });
}

/**
 * The files of {@link liveDiff}, in git's order. A binary file counts no lines.
 * @throws FaultError `baseline_missing` | `capture_failed`
 */
export function changedFiles(options: CaptureOptions): Promise<ChangedFile[]> {
  return withSnapshot(options, false, async (snapshot) => {
    const names = await snapshot.git([...DIFF, '--name-status', '-z', 'HEAD']);
    const counts = await snapshot.git([...DIFF, '--numstat', '-z', 'HEAD']);
    return parseChanges(names.stdout.toBuffer(), counts.stdout.toBuffer());
  });
}

async function writePatch(snapshot: Snapshot, options: PatchOptions): Promise<Patch> {
  const patchPath = options.patchPath ?? join(options.scratchDir, `patch-${randomBytes(6).toString('hex')}.diff`);
  const temporary = `${patchPath}.${randomBytes(6).toString('hex')}.tmp`;
  await using file = await PatchFile.create(temporary, options.maxBytes ?? CAPS.patch_bytes);
  try {
    const { bytes, digest } = await fill(file, snapshot, options);
    await rename(temporary, patchPath);
    await flushDirectory(dirname(patchPath));
    return { patchPath, report: { patch_bytes: bytes, patch_sha256: digest, skipped: snapshot.skipped } };
  } catch (error) {
    await unlink(temporary);
    if (error instanceof PatchTooLargeError) {
      throw new FaultError(fault('patch_too_large', error.message), { cause: error });
    }
    throw error;
  }
}

async function fill(file: PatchFile, snapshot: Snapshot, { signal }: PatchOptions) {
  const ends = signal ? AbortSignal.any([signal, file.tooLarge]) : file.tooLarge;
  try {
    await snapshot.git([...DIFF, 'HEAD'], { stdoutFd: file.fd, signal: ends });
  } catch (error) {
    if (!(error instanceof GitError) || !file.tooLarge.aborted) throw error;
  }
  return file.finish();
}

/** Source of the statuses: spec/runtime §7. */
function parseChanges(nameStatus: Buffer, numstat: Buffer): ChangedFile[] {
  const counts = new Map<BytePath, [number, number]>();
  for (const record of numstat.toString('latin1').split('\0')) {
    const [added, deleted, ...path] = record.split('\t');
    if (path.length > 0) counts.set(path.join('\t'), [Number(added) || 0, Number(deleted) || 0]);
  }
  const fields = nameStatus.toString('latin1').split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status = '', path = ''] = [fields[at], fields[at + 1]];
    const [additions, deletions] = counts.get(path) ?? [0, 0];
    files.push({
      path: toDisplay(path),
      status: status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified',
      additions,
      deletions,
    });
  }
  return files;
}

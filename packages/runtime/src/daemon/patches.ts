import { realpathSync } from 'node:fs';
import { chmod, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangedFile } from '@ssebench/contracts/daemon-api';
import type { CaptureReport } from '@ssebench/contracts/work-outcome';
import { applyPatch } from '../capture/apply-patch.ts';
import { captureTree, changedFiles, liveDiff, livePatch } from '../capture/capture.ts';
import { commitsLog } from '../capture/commits-log.ts';
import type { CaptureOptions } from '../capture/snapshot.ts';
import type { Account } from '../system/accounts.ts';
import { writeFileAtomic } from '../system/atomic-file.ts';
import type { AgentTraces } from './agent-traces.ts';
import { DaemonError } from './daemon-error.ts';
import type { EventLog } from './events.ts';
import { SerialQueue } from './serial-queue.ts';
import type { StrictTree } from './strict/strict-tree.ts';

interface PatchesOptions {
  baseline: string;
  /** The agent's tree is where these say; they are removed before the patch is applied, where it is captured here. */
  traces: AgentTraces;
  account: Account;
  /** Root's own directory, which the account can pass through. */
  scratchDir: string;
  results: string;
  /** The clean copy. */
  repo: string;
  referencePatch: string | null;
  strictTree: StrictTree;
  /** Whether `final.patch` stands in the results directory from the start. */
  patchIsGiven: boolean;
  events: EventLog;
  stop: AbortSignal;
}

/** A patch in a file. */
export interface PatchOnDisk {
  path: string;
  bytes: number;
}

/**
 * The agent's changes: as they are now, as they were captured, and applied to the clean copy. One of these at a time.
 * Source: spec/runtime §7.
 */
export class Patches {
  readonly #options: PatchesOptions;
  readonly #queue = new SerialQueue();
  #captured: CaptureReport | undefined;
  #applied = false;

  constructor(options: PatchesOptions) {
    this.#options = options;
  }

  /**
   * The agent's changes now, captured as grading captures them. The caller removes the file.
   * @throws FaultError; the signal's reason when it is aborted
   */
  async live(signal: AbortSignal): Promise<{ patch: PatchOnDisk; remove(): Promise<void> }> {
    return await this.#look(signal, async (options) => {
      const { patchPath, report } = await liveDiff(options);
      return { patch: { path: patchPath, bytes: report.patch_bytes }, remove: () => unlink(patchPath) };
    });
  }

  /**
   * The same in memory, at the lowest priority and without files that are larger than a patch may be.
   * @throws FaultError; the signal's reason when it is aborted
   */
  async glance(signal: AbortSignal, maxBytes: number): Promise<Buffer> {
    return await this.#look(signal, (options) =>
      livePatch({ ...options, maxBytes, maxFileBytes: maxBytes, gentle: true }),
    );
  }

  /** @throws FaultError; the signal's reason when it is aborted */
  async changedFiles(signal: AbortSignal): Promise<ChangedFile[]> {
    return await this.#look(signal, changedFiles);
  }

  /**
   * Captures the tree as `final.patch` and the agent's commits as `commits.log` in the results directory. Once: later
   * calls give the same report.
   * @throws FaultError
   */
  async capture(): Promise<CaptureReport> {
    return await this.#queue.run(() => this.#captureOnce());
  }

  /**
   * Applies `final.patch` to the clean copy, after capturing it where none is given, and keeping the tests that it
   * touches. Once: later calls do nothing.
   * @throws DaemonError `patch_apply_failed`; FaultError
   */
  async prepare(): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#applied) return;
      if (!this.#options.patchIsGiven) {
        await this.#captureOnce({ announce: true });
        await this.#options.traces.remove();
      }
      const patch = await this.final();
      if (!patch) throw new DaemonError('capture_failed', `there is no ${this.#finalPath} to grade`);
      await this.#options.strictTree.keep(patch.path);
      const outcome = await applyPatch({ patchPath: patch.path, repo: realpathSync(this.#options.repo) });
      if (!outcome.applied) throw new DaemonError('patch_apply_failed', `git apply failed: ${outcome.output}`);
      this.#applied = true;
    });
  }

  /** The patch that is graded; null before it is captured. */
  async final(): Promise<PatchOnDisk | null> {
    return await fileAt(this.#finalPath);
  }

  /** The reference patch; null when this container holds none. */
  async reference(): Promise<PatchOnDisk | null> {
    const { referencePatch } = this.#options;
    return referencePatch ? await fileAt(referencePatch) : null;
  }

  async #look<T>(signal: AbortSignal, look: (options: CaptureOptions) => Promise<T>): Promise<T> {
    return await this.#queue.run(async () => {
      try {
        return await look({ ...this.#capture, signal });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    }, signal);
  }

  async #captureOnce({ announce = false } = {}): Promise<CaptureReport> {
    if (this.#captured) return this.#captured;
    const { results, events } = this.#options;
    const { report } = await captureTree({ ...this.#capture, patchPath: this.#finalPath });
    await chmod(this.#finalPath, 0o644);
    await writeFileAtomic(join(results, 'commits.log'), await commitsLog(this.#capture));
    if (announce) events.happened({ type: 'captured', patch_bytes: report.patch_bytes });
    this.#captured = report;
    return report;
  }

  get #finalPath(): string {
    return join(this.#options.results, 'final.patch');
  }

  get #capture(): CaptureOptions {
    const { baseline, traces, account, scratchDir, stop } = this.#options;
    return { baseline, tree: traces.tree, account, scratchDir, signal: stop };
  }
}

async function fileAt(path: string): Promise<PatchOnDisk | null> {
  try {
    return { path, bytes: (await stat(path)).size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FaultError, fault } from '@ssebench/contracts/faults';
import type { CaptureReport } from '@ssebench/contracts/work-outcome';
import type { ContainerSpec } from '@ssebench/engine/container';
import type { ContainerEngine } from '@ssebench/engine/port';
import type { RunProgress } from '../progress/run-progress.ts';
import { ContainerLease } from './container-lease.ts';
import { readGradeOutcome } from './outcome-files.ts';
import type { RunRecord } from './record.ts';

/** What the grade container may take beyond the grading limit that it keeps itself, in seconds. */
const MARGIN = 120;

interface GradeRequest {
  engine: ContainerEngine;
  record: RunRecord;
  signal: AbortSignal;
  /** The patch on the host; `expected` is what it must be, where a capture says so. */
  patch: string;
  expected: CaptureReport | null;
  spec: ContainerSpec;
  results: string;
  hostSocketDir: string;
  /** Seconds. */
  gradingTimeout: number;
  keep: boolean;
  progress: RunProgress;
}

/**
 * The one way in which patches are graded: a fresh container of the tool image gets the patch and nothing else.
 * The outcome, or why there is none, stands in the record.
 */
export async function gradePatch(request: GradeRequest): Promise<void> {
  const { engine, record, signal, results } = request;
  await record.during('grading', 'hand over patch', () =>
    copyPatch(request.patch, join(results, 'final.patch'), request.expected),
  );
  await record.during('grading', 'grading', async () => {
    await using lease = await ContainerLease.create(engine, request.spec, { keep: request.keep, signal });
    await lease.start(join(request.hostSocketDir, 'host.sock'), (event) => request.progress.event(event), signal);
    const deadline = AbortSignal.timeout((request.gradingTimeout + MARGIN) * 1000);
    const ended = Promise.withResolvers<never>();
    const stop = (): void =>
      ended.reject(signal.aborted ? signal.reason : new FaultError(timedOut(request.gradingTimeout)));
    const either = AbortSignal.any([signal, deadline]);
    either.addEventListener('abort', stop, { once: true });
    await Promise.race([lease.finished(), ended.promise]);
  });
  record.grade = await readGradeOutcome(results);
  if (record.grade.fault) record.fail(record.grade.fault);
}

function timedOut(seconds: number) {
  return fault(
    'grading_timeout',
    `the grade container had not ended ${MARGIN} s after the grading limit of ${seconds} s`,
  );
}

/** Never through a link, never more than was captured, and byte for byte what was captured. */
async function copyPatch(from: string, to: string, expected: CaptureReport | null): Promise<void> {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await source.stat();
    if (!stat.isFile()) throw changed('is no regular file');
    if (expected && stat.size !== expected.patch_bytes)
      throw changed(`has ${stat.size} bytes, captured were ${expected.patch_bytes}`);
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const target = await open(to, 'wx', 0o644);
    await pipeline(source.createReadStream({ autoClose: false }), hashing, target.createWriteStream({ flush: true }));
    const digest = hash.digest('hex');
    if (expected && digest !== expected.patch_sha256) throw changed('has other bytes than were captured');
  } finally {
    await source.close();
  }
}

function changed(how: string): FaultError {
  return new FaultError(fault('capture_failed', `final.patch ${how}`, { blame: 'integrity' }));
}

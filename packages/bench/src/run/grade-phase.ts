import { createHash } from 'node:crypto';
import { constants, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import type { CaptureReport } from '@ssebench/contracts/work-outcome';
import { explainByDisk } from './blame.ts';
import { ContainerLease } from './container-lease.ts';
import { gradeContainer } from './container-spec.ts';
import { DiskWatch } from './disk-watch.ts';
import { lookForEnd } from './look-for.ts';
import { readGradeOutcome } from './outcome-files.ts';
import type { RunRecord, Teller } from './record.ts';
import { hostSocket } from './results-place.ts';
import { frameOf, type RunScene } from './run-scene.ts';

/** A patch is copied in pieces of this size, through one buffer. */
const COPY_BYTES = 256 * 1024;
/** What the grade container may take beyond the grading limit that it keeps itself, in seconds. */
const MARGIN = 120;

/**
 * The one way in which patches are graded: a fresh container of the tool image gets `final.patch` of the work container's
 * results and nothing else. `expected` is what the patch must be, where a capture says so.
 * The outcome, or why there is none, stands in the record. `onStarted` is called when the container runs.
 */
export async function gradePatch(
  scene: RunScene,
  expected: CaptureReport | null,
  onStarted: () => void = () => undefined,
): Promise<void> {
  const { record, engine, directory, place, course, signal, progress } = scene;
  const agent = record.work?.agent;
  const spec = gradeContainer(frameOf(scene), {
    image: { id: course.grader.image, env: course.grader.env },
    mounts: place.mounts('grade'),
    agent: {
      duration: agent?.duration ?? 0,
      exitCode: agent?.exit_code ?? null,
      timedOut: agent?.timed_out ?? false,
    },
  });
  await record.during('grading', 'hand over patch', async () => {
    await copyPatch(join(directory.work, RESULT_FILE.patch), join(directory.grade, RESULT_FILE.patch), expected);
    await place.give('grade', RESULT_FILE.patch);
  });
  await record.during('grading', 'grading', async () => {
    const lease = await ContainerLease.create(engine, spec, { keep: course.keep_container, signal });
    scene.cleanup.use(lease);
    try {
      await lease.start(hostSocket(scene, course, 'grade'), (event) => progress.event(event), signal);
      onStarted();
      await awaitGrade(scene, lease);
    } finally {
      // One that told its grade writes nothing more. A volume can't be given back before what uses it.
      if (!record.verdict || !course.host_mounts) await lease[Symbol.asyncDispose]();
    }
  });
}

/** Follows a grade container that another command started at `since`, by the engine's clock. It gets its whole limit again. */
export async function followGrade(scene: RunScene, id: string, since: Date | undefined): Promise<void> {
  const { record, engine, course, signal, progress } = scene;
  await record.during('grading', 'grading', async () => {
    await using lease = new ContainerLease(engine, id, { keep: course.keep_container });
    await lease.join(hostSocket(scene, course, 'grade'), (event) => progress.event(event), since, signal);
    await awaitGrade(scene, lease);
  });
}

/** Makes a grade container's results as empty as they were before one was made. */
export async function clearGrade({ directory, place }: Pick<RunScene, 'directory' | 'place'>): Promise<void> {
  await place.clear('grade');
  await rm(directory.grade, { recursive: true, force: true });
  await mkdir(directory.grade);
}

async function awaitGrade(scene: RunScene, lease: ContainerLease): Promise<void> {
  const { record, directory, place, engine, signal, facts, course } = scene;
  void lookForEnd(scene, 'grade', lease);
  using watch = new DiskWatch({
    engine,
    containerId: lease.id,
    limits: course.limits,
    results: directory.live,
    archive: null,
    phase: () => 'grading',
  });
  const limit = facts.settings.grading_timeout + MARGIN;
  const deadline = AbortSignal.timeout(limit * 1000);
  const either = AbortSignal.any([signal, deadline]);
  const over = Promise.withResolvers<void>();
  const stop = (): void => over.resolve();
  either.addEventListener('abort', stop, { once: true });
  if (either.aborted) stop();
  const lost: { cause?: unknown } = {};
  const broken = await Promise.race([lease.told(), over.promise, watch.broken]).catch((cause: unknown) => {
    lost.cause = cause;
  });
  signal.throwIfAborted();
  // A check that failed by then makes the grade all the same.
  if (broken) record.fail(await watch.stopping(broken, () => lease.kill()));
  await place.bringAll('grade');
  record.grade = await readGradeOutcome(directory.grade);
  // What the container left is a grade also when the engine can't tell of its end.
  if (lost.cause !== undefined && !record.verdict) throw lost.cause;
  await explainByDisk(record, record.grade.fault, watch);
  if (deadline.aborted) record.fail(timedOut(facts.settings.grading_timeout), 'grade');
  await weighGrade(record, lease, 'grade');
}

/** Why there is no grade, where none was left in the record. `lease`: the container that graded, which has ended, if it is known. */
export async function weighGrade(record: RunRecord, lease: ContainerLease | undefined, teller: Teller): Promise<void> {
  const told = record.grade?.fault;
  if (!told || record.fault) return;
  if (told.code === 'no_result' && lease) record.fail(await lease.lost(() => 'grading'));
  else record.fail(told, teller);
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
    await using target = await open(to, 'wx', 0o644);
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let at = 0; ; ) {
      const { bytesRead } = await source.read(buffer, 0, COPY_BYTES, at);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      await target.writeFile(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    await target.sync();
    const digest = hash.digest('hex');
    if (expected && digest !== expected.patch_sha256) throw changed('has other bytes than were captured');
  } finally {
    await source.close();
  }
}

function changed(how: string): FaultError {
  return new FaultError(fault('capture_failed', `final.patch ${how}`, { blame: 'integrity' }));
}

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Moment, OwnerFile, RunCourse } from '@ssebench/contracts/owner-file';
import { writeFileAtomic } from '../results/atomic-write.ts';
import { OWNER_FILE } from '../results/owner.ts';
import type { RunOwner } from './owner.ts';
import type { RunDirectory } from './run-directory.ts';
import type { RunFacts } from './summarize.ts';

/** Says in the run's directory who conducts it and, once it has a course, how it goes on. */
export async function writeOwnerFile(
  { live }: RunDirectory,
  { runId, startedAt, task, settings, version }: RunFacts,
  { socket, directory }: Pick<RunOwner, 'socket' | 'directory'>,
  course: RunCourse | null,
): Promise<void> {
  const file: OwnerFile = {
    socket,
    directory,
    run_id: runId,
    started_at: startedAt.toISOString(),
    version,
    task: {
      id: task.id,
      dataset_version: task.datasetVersion,
      files_sha256: task.filesDigest,
      config: task.config,
      tests: task.tests,
    },
    settings,
    course,
  };
  await writeFileAtomic(join(live, OWNER_FILE), JSON.stringify(file));
}

/** What stands fixed of a run, as its owner's file tells it. */
export function factsOf({ run_id, started_at, version, task, settings }: OwnerFile): RunFacts {
  return {
    runId: run_id,
    startedAt: new Date(started_at),
    version,
    task: {
      id: task.id,
      datasetVersion: task.dataset_version,
      filesDigest: task.files_sha256,
      config: task.config,
      tests: task.tests,
    },
    settings,
  };
}

/** Now, by a clock that nobody sets. */
export function thisMoment(): Moment {
  return { boot_id: bootId(), uptime: uptime() };
}

/** Seconds since a moment; undefined when the machine was started anew since then. */
export function secondsSince(moment: Moment): number | undefined {
  return moment.boot_id === bootId() ? Math.max(0, uptime() - moment.uptime) : undefined;
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

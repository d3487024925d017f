import type { RunCourse } from '@ssebench/contracts/owner-file';
import type { ContainerEngine } from '@ssebench/engine/port';
import type { RunProgress } from '../progress/run-progress.ts';
import type { RunFrame } from './container-spec.ts';
import type { RunOwner } from './owner.ts';
import type { RunRecord } from './record.ts';
import type { ResultsPlace } from './results-place.ts';
import type { RunDirectory } from './run-directory.ts';
import type { RunFacts } from './summarize.ts';

/** What every run has while it goes on. */
export interface Stage {
  facts: RunFacts;
  record: RunRecord;
  directory: RunDirectory;
  owner: RunOwner;
  engine: ContainerEngine;
  progress: RunProgress;
  /** Fires when the user stops the command. */
  signal: AbortSignal;
  /** What is removed while the results are written: containers that have told that their work is done. */
  cleanup: AsyncDisposableStack;
}

/** A run whose images stand: what its containers are made from, and how it goes on. */
export interface RunScene extends Stage {
  course: RunCourse;
  place: ResultsPlace;
}

/** What the containers of a run have in common. */
export function frameOf({ facts, directory, owner, course }: RunScene): RunFrame {
  return {
    runId: facts.runId,
    taskId: facts.task.id,
    settings: facts.settings,
    limits: course.limits,
    runtimeVolume: course.runtime_volume,
    resultsPath: directory.path,
    ownerSocket: owner.socket,
    keepAlive: course.keep_container,
  };
}

import { join } from 'node:path';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { RunCourse } from '@ssebench/contracts/owner-file';
import type { Mount } from '@ssebench/engine/container';
import type { RunDirectory } from './run-directory.ts';
import type { Stage } from './run-scene.ts';
import { VolumePlace } from './volume-place.ts';

/** Whose results: of the container that an agent works in, or of the one that a patch is graded in. */
export type Part = 'work' | 'grade';

/**
 * Where the containers of a run leave what they make, and how that comes into the run's directory. `work`, `grade` and
 * `archive` of that are what one reads, whatever the engine can mount.
 */
export interface ResultsPlace extends AsyncDisposable {
  /** What a container gets for it, at the paths of `CONTAINER`. */
  mounts(part: Part): Mount[];
  /** How often one may look for a file, in milliseconds. */
  readonly lookInterval: number;
  /** Brings these files of a part up to date in the run's directory, those that are there. @throws FaultError for one that is too large */
  bring(part: Part, names: readonly string[]): Promise<void>;
  /** The same with all that a part holds, once its container has ended. */
  bringAll(part: Part): Promise<void>;
  /** Gives a file of the run's directory to a container that has not started. */
  give(part: Part, name: string): Promise<void>;
  /** Empties what the engine has of a part that no container uses any more. */
  clear(part: Part): Promise<void>;
  /**
   * Brings what was not brought yet, and the agent's archive. What is refused for its size stands in the record.
   * @throws what keeps us from the engine or from our disk; then nothing is lost
   */
  bringRest(): Promise<void>;
  /**
   * `bringRest`; then nothing of it is left on the engine but what a kept container needs. Where it can't be brought it
   * stays there, and why stands in the record: that takes no verdict back.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The place that fits what the engine can mount, for a run that begins; or that of a run whose command was killed. */
export async function openResultsPlace(stage: Stage, course: RunCourse, how: 'new' | 'left'): Promise<ResultsPlace> {
  if (course.host_mounts) return hostPlace(stage.directory, course.socket_mounts ? stage.owner : undefined);
  return how === 'new' ? VolumePlace.create(stage) : VolumePlace.takeUp(stage);
}

/** Host directories that are mounted: whatever a container writes is there at once. */
export function hostPlace(directory: RunDirectory, sockets: Pick<Stage['owner'], Part> | undefined): ResultsPlace {
  const bind = (source: string, target: string): Mount => ({ type: 'bind', source, target, readOnly: false });
  const nothing = async () => undefined;
  return {
    mounts: (part) => [
      bind(directory[part], CONTAINER.results),
      ...(sockets ? [bind(sockets[part], CONTAINER.hostSocketDir)] : []),
      ...(part === 'work' ? [bind(directory.archive, CONTAINER.archive)] : []),
    ],
    lookInterval: 200,
    bring: nothing,
    bringAll: nothing,
    give: nothing,
    clear: nothing,
    bringRest: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

/** Where a container's events can be heard; undefined where it has no way to tell them. */
export function hostSocket({ owner }: Pick<Stage, 'owner'>, course: RunCourse, part: Part): string | undefined {
  return course.socket_mounts ? join(owner[part], 'host.sock') : undefined;
}

import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DaemonError } from '../daemon-error.ts';
import type { RunnerArea } from '../runner/runner-area.ts';
import { Workspace } from '../runner/workspace.ts';

/** How many builds are kept at a time: of the agent's calls, and of grading. */
const KEPT = { agent: 2, grading: 1 };

interface Build {
  id: string;
  grading: boolean;
  /** Where the built tree is kept; only root can enter it. */
  kept: string;
  /** The workspace's path while it was built: a run finds the tree at the same one, for what a build wrote into its files. */
  builtAt: string;
}

/**
 * The outputs of the last builds. They are kept where the runner can't reach them, and every run of a PoC gets a copy
 * made by root: neither another check nor an earlier PoC can have changed it. Source: design §5.
 */
export class Builds {
  readonly #area: RunnerArea;
  #builds: Build[] = [];
  #counter = 0;

  constructor(area: RunnerArea) {
    this.#area = area;
  }

  /** Takes a workspace over, whether its build failed or not, and drops the oldest of its kind. Returns the build's id. */
  async keep(workspace: Workspace, grading: boolean): Promise<string> {
    this.#counter += 1;
    const id = `b${this.#counter}`;
    const dir = join(this.#area.builds, id);
    mkdirSync(dir, { mode: 0o700 });
    const kept = join(dir, 'src');
    // The workspace is the runner's: what its script left in place of the tree is not followed.
    if (lstatSync(workspace.src, { throwIfNoEntry: false })?.isDirectory()) renameSync(workspace.src, kept);
    else this.#area.makeOwn(kept);
    this.#builds.push({ id, grading, kept, builtAt: workspace.dir });
    const same = this.#builds.filter((build) => build.grading === grading);
    const tooMany = same.slice(0, Math.max(0, same.length - (grading ? KEPT.grading : KEPT.agent)));
    this.#builds = this.#builds.filter((build) => !tooMany.includes(build));
    for (const old of tooMany) await this.#area.discard(join(this.#area.builds, old.id));
    return id;
  }

  /**
   * The build called `id`, or the latest of its kind when none is named; undefined when there is no build at all.
   * @throws DaemonError `unknown_build` for an id that is none of the kept ones
   */
  find(grading: boolean, id: string | undefined): Build | undefined {
    const found = this.#builds.findLast((build) => build.grading === grading && (id === undefined || build.id === id));
    if (!found && id !== undefined) {
      throw new DaemonError(
        'unknown_build',
        `there is no build ${id}: it was never made, or newer ones have replaced it`,
      );
    }
    return found;
  }

  /** A workspace with a copy of a build. */
  async open(build: Build, signal: AbortSignal): Promise<Workspace> {
    return await Workspace.copyOf(this.#area, build.kept, build.builtAt, signal);
  }

  /** Removes all builds. */
  async forget(): Promise<void> {
    for (const { id } of this.#builds) await this.#area.discard(join(this.#area.builds, id));
    this.#builds = [];
  }
}

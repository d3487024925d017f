import { lstatSync } from 'node:fs';
import { LABEL } from '@ssebench/contracts/labels';
import type { Labels } from '@ssebench/engine/port';
import { ownerLives } from '../results/owner.ts';
import { belongsToUnfinished } from './abandoned-runs.ts';

/** What has no owner on its label, such as a probe's container, is in use for minutes at most; milliseconds. */
const UNOWNED_FOR = 3600 * 1000;

/** Tells whether an object on an engine is anybody's. */
export class Ownership {
  readonly #engineIsHere: boolean;
  readonly #now: Date;
  readonly #known = new Map<string, Promise<boolean>>();

  /** @param engineAddress an engine beyond this machine may have objects of other machines, whose owners we can't ask */
  constructor(engineAddress: string, now: Date) {
    this.#engineIsHere = engineAddress.startsWith('unix://');
    this.#now = now;
  }

  /** True when its owner has gone and it is no part of a run that can be brought to its end; in doubt false. */
  async isAbandoned({ labels, createdAt }: { labels: Labels; createdAt: Date }): Promise<boolean> {
    const socket = labels[LABEL.owner];
    if (!socket) return this.#now.getTime() - createdAt.getTime() > UNOWNED_FOR;
    const results = labels[LABEL.results];
    if (!this.#engineIsHere && !(results && lstatSync(results, { throwIfNoEntry: false }))) return false;
    return !(await this.#lives(socket)) && !belongsToUnfinished(labels);
  }

  #lives(socket: string): Promise<boolean> {
    const known = this.#known.get(socket) ?? ownerLives(socket);
    this.#known.set(socket, known);
    return known;
  }
}

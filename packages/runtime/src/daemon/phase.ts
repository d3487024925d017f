import type { Account } from '../system/accounts.ts';
import { endProcessesOf } from '../system/processes.ts';
import { DaemonError, phaseEnded } from './daemon-error.ts';

/**
 * The agent phase. It ends once: from then on the agent-facing tools are refused, and what still runs for them is
 * cancelled before the processes of its users are ended.
 */
export class AgentPhase {
  readonly #users: readonly Account[];
  readonly #over = new AbortController();
  #ending: Promise<void> | undefined;

  constructor(users: readonly Account[]) {
    this.#users = users;
  }

  get ended(): boolean {
    return this.#over.signal.aborted;
  }

  /** Aborts at the end of the phase; its reason is the answer that a cancelled call gets. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Ends the phase, and every process of its users. Once: a call after one that succeeded does nothing, so that it can't
   * end a capture, which runs as the agent's user.
   * @throws DaemonError `processes_survived`; the phase has ended all the same, and the next call tries again
   */
  async end(): Promise<void> {
    this.#over.abort(phaseEnded());
    this.#ending ??= this.#endProcesses();
    await this.#ending;
  }

  async #endProcesses(): Promise<void> {
    const { survivors } = await endProcessesOf(this.#users.map(({ uid }) => uid));
    if (survivors.length === 0) return;
    this.#ending = undefined;
    const pids = survivors.slice(0, 10).join(', ');
    throw new DaemonError('processes_survived', `${survivors.length} processes can't be ended: ${pids}`);
  }
}

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
   * Ends the phase, and every process of its users. Can be called again.
   * @throws DaemonError `processes_survived`; the phase has ended all the same
   */
  async end(): Promise<void> {
    this.#over.abort(phaseEnded());
    const { survivors } = await endProcessesOf(this.#users.map(({ uid }) => uid));
    if (survivors.length === 0) return;
    const pids = survivors.slice(0, 10).join(', ');
    throw new DaemonError('processes_survived', `${survivors.length} processes can't be ended: ${pids}`);
  }
}

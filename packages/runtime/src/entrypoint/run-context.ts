import type { Step } from '@ssebench/contracts/events';
import { type Fault, fault, type Phase } from '@ssebench/contracts/faults';
import type { ArchiveReport, CaptureReport } from '@ssebench/contracts/work-outcome';
import { AdminClient } from '../client/admin-client.ts';
import { EventPublisher } from '../client/event-publisher.ts';
import type { LoopbackRelay } from '../relay/loopback-relay.ts';
import type { AgentEnd } from './agent-process.ts';
import type { ArchiveOwner } from './archive-owner.ts';
import { log } from './log.ts';
import type { McpAccess } from './mcp-access.ts';
import type { Service } from './service.ts';
import type { Settings } from './settings.ts';

const PHASE_OF: Record<Step, Phase> = {
  services: 'start',
  agent: 'agent',
  ending: 'agent',
  capture: 'capture',
  archive: 'collect',
  grading: 'grading',
  done: 'collect',
};

/** What the phases of one run know of it. Each fills in its own part; the first fault stays. */
export class RunContext {
  readonly settings: Settings;
  readonly daemonClient: AdminClient;
  readonly events: EventPublisher;
  readonly daemon: Service;
  /** Whose the archive was before it was the agent's; null where it did not change hands. */
  readonly archiveOwner: ArchiveOwner | null;
  step: Step = 'services';
  /** The agent's way to its model, while it has one. */
  relay: LoopbackRelay | null = null;
  /** The agent's way to its tool, while its phase lasts. */
  mcp: McpAccess | null = null;
  /** Started early, and not yet told to begin. */
  evaluator: Service | null = null;
  /** The tree that the agent works in, as the daemon names it. */
  source: string | null = null;
  agent: AgentEnd | null = null;
  capture: CaptureReport | null = null;
  archive: ArchiveReport | null = null;
  /** Whether `result.json` was written over what ran. */
  graded = false;
  readonly #stop = new AbortController();
  #fault: Fault | null = null;

  constructor(settings: Settings, daemon: Service, archiveOwner: ArchiveOwner | null) {
    this.settings = settings;
    this.daemon = daemon;
    this.archiveOwner = archiveOwner;
    this.daemonClient = new AdminClient(settings.adminSocket);
    this.events = new EventPublisher(this.daemonClient, (type, error) => {
      log('WARN', 'An event could not be published', { type, error: String(error) });
    });
  }

  /** Aborts when a signal asked the run to stop. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Why there will be no grade. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** Where in a run its step is. */
  get phase(): Phase {
    return PHASE_OF[this.step];
  }

  /** Records why there will be no grade. The first cause wins; later ones are logged. */
  fail(cause: Fault): void {
    log('ERROR', cause.detail, { code: cause.code, phase: cause.phase, blame: cause.blame });
    if (this.#fault) return;
    this.#fault = cause;
    this.events.publish({ type: 'fault', fault: cause });
  }

  /** Stops the run: a fault, unless what it is for is done already. */
  interrupt(signal: NodeJS.Signals): void {
    const done = this.settings.mode === 'work' ? this.capture !== null : this.graded;
    if (done) log('INFO', 'Stopping', { signal });
    else this.fail(fault('interrupted', `stopped by ${signal}`, { phase: this.phase }));
    this.#stop.abort();
  }
}

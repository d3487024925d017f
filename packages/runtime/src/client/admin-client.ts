import { CaptureReport, GradingPreparation, Success } from '@ssebench/contracts/daemon-api';
import type { RunEvent } from '@ssebench/contracts/events';
import { type CallLimit, DaemonClient } from '@ssebench/sdk/daemon/daemon-client';

/** The daemon's API over its admin socket: what agents may call, and what ends their phase and grades. */
export class AdminClient extends DaemonClient {
  constructor(socketPath: string) {
    super({ socketPath });
  }

  /** Ends the agent phase and the agent's processes. */
  async agentExited(limit: CallLimit & { timeoutMs: number }): Promise<void> {
    await this.call('POST', '/admin/agent_exited', Success, {}, limit);
  }

  captureTree(limit: CallLimit & { timeoutMs: number }): Promise<CaptureReport> {
    return this.call('POST', '/admin/capture', CaptureReport, {}, limit);
  }

  prepareGrading(limit: CallLimit & { timeoutMs: number }): Promise<GradingPreparation> {
    return this.call('POST', '/prepare_grading', GradingPreparation, {}, limit);
  }

  async publish(event: RunEvent, limit: CallLimit = {}): Promise<void> {
    await this.call('POST', '/admin/events', Success, event, limit);
  }
}

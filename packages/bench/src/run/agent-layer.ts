import { FaultError, fault } from '@ssebench/contracts/faults';
import { isEngineError } from '@ssebench/engine/errors';

/**
 * Does what needs the agent's container. Where the engine refuses that, it may be because of the agent's image, whose Dockerfile
 * could choose the tasks that it does so for. So the same is tried without the agent's layer: `control`.
 * @throws FaultError `start_failed`, blame `agent`, when only that works; else what `work` throws
 */
export async function blamingAgentLayer<T>(work: () => Promise<T>, control: () => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isEngineError(error, 'refused', 'not_found', 'conflict')) throw error;
    try {
      await control();
    } catch {
      // The engine is at odds with the task's own image, too, or with anything at all.
      throw error;
    }
    const detail = `no container can be made of the agent's image: ${error.message}`;
    throw new FaultError(fault('start_failed', detail, { blame: 'agent', retryable: false }), { cause: error });
  }
}

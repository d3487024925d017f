import { LABEL } from '@ssebench/contracts/labels';
import { connectEngine } from '@ssebench/engine/docker/connect';

/** Containers of a run that are still on the engine, by role. */
export async function containersOf(runId: string): Promise<string[]> {
  const engine = await connectEngine();
  try {
    const containers = await engine.listContainers({ [LABEL.runId]: runId });
    return containers.map(({ labels }) => labels[LABEL.role] ?? '?');
  } finally {
    engine.close();
  }
}

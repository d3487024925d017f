import { once } from 'node:events';
import { LABEL } from '@ssebench/contracts/labels';
import { withEngine } from '../host.ts';
import { checkRunId, containersOf } from './run-containers.ts';

export interface RunsLogsOptions {
  follow?: boolean;
}

/** `ssebench runs logs`: both streams merged; a reader that goes away ends it with status 0. */
export async function runsLogs(runId: string, { follow = false }: RunsLogsOptions): Promise<number> {
  checkRunId(runId);
  const gone = new AbortController();
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') gone.abort();
  });
  return withEngine(async (engine) => {
    const containers = await containersOf(engine, runId);
    const container = containers.find(({ labels }) => labels[LABEL.webui] === 'true') ?? containers[0];
    if (!container) return 0;
    try {
      for await (const { data } of engine.logs(container.id, { follow, signal: gone.signal })) {
        if (!process.stdout.write(data)) await once(process.stdout, 'drain', { signal: gone.signal });
      }
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
    return 0;
  });
}

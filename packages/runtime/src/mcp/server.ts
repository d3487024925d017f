import { AsyncLocalStorage } from 'node:async_hooks';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { VERSION } from '../daemon/version.ts';
import type { PatchTester } from './patch-tester.ts';

/** The HTTP exchange that a call came with: aborts when its client has gone away. */
export const exchange = new AsyncLocalStorage<AbortSignal>();

const DESCRIPTION = `Tests your patch: the project's source tree as it is now, uncommitted changes included. Runs the checks that are \
available in this task and answers with their outcomes and, when one fails, with its output. Takes no arguments. \
A call builds and tests the whole project, so it can take many minutes.`;

/** Makes servers with the one tool; each serves one request or one connection, and all answer from the same tester. */
export function serverFactory(tester: PatchTester): McpServerFactory {
  return () => {
    const server = new McpServer({ name: 'ssebench MCP Server', version: VERSION });
    server.registerTool(
      'test_patch',
      {
        title: 'Test the patch',
        description: DESCRIPTION,
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      },
      async ({ mcpReq }) => {
        const { progressToken } = mcpReq._meta ?? {};
        let progress = 0;
        const onProgress = (message: string) => {
          progress += 1;
          const params = { progressToken, progress, message };
          // Whoever has gone away hears no more; the call ends by its signal.
          mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
        };
        const gone = exchange.getStore();
        const signal = gone ? AbortSignal.any([mcpReq.signal, gone]) : mcpReq.signal;
        const text = await tester.call({ signal, onProgress: progressToken === undefined ? undefined : onProgress });
        return { content: [{ type: 'text', text }] };
      },
    );
    return server;
  };
}

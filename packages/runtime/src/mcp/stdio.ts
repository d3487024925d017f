import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { log } from './log.ts';
import { serverFactory } from './server.ts';
import { ownLogs, patchTester } from './settings.ts';

/**
 * The MCP server on standard input and output, as whoever starts it: it has no more than the agent-facing socket either way.
 * Ends with its input.
 * @throws RangeError when the environment is wrong
 */
export async function serveOnStdio(): Promise<number> {
  const onerror = (error: Error) => log('WARN', 'A message was refused', { error: error.message });
  const handle = serveStdio(serverFactory(patchTester(process.env, ownLogs())), { onerror });
  await once(process.stdin, 'close');
  await handle.close();
  return 0;
}

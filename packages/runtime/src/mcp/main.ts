import { once } from 'node:events';
import { rmSync, writeSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { CONTAINER, ENV } from '@ssebench/contracts/layout';
import { log } from './log.ts';
import { exchange, serverFactory } from './server.ts';
import { patchTester } from './settings.ts';

/** Where the endpoint is on its port. Source: spec/runtime §9. */
const PATH = '/mcp';
/** Longest message of a client: its one tool has no arguments. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 100;

/**
 * The MCP server: serves Streamable HTTP on its Unix socket, which the entrypoint's port leads to, until it is told to end.
 * Returns 1 when the environment is wrong; the reason is in its log.
 */
export async function runMcp(): Promise<number> {
  let handle: RequestListener;
  try {
    handle = requestListener();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    log('ERROR', error.message);
    return 1;
  }
  const socketPath = process.env[ENV.mcpSocket] || CONTAINER.mcpSocket;
  rmSync(socketPath, { force: true });
  const server = createServer(handle);
  server.maxConnections = MAX_CONNECTIONS;
  const ended = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.resolve());
  await once(server.listen(socketPath), 'listening');
  const readyFd = process.env[ENV.readyFd];
  if (readyFd !== undefined) writeSync(Number(readyFd), 'ready\n');
  log('INFO', 'Listening', { path: socketPath });
  await ended.promise;
  return 0;
}

function requestListener(): RequestListener {
  const onerror = (error: Error) => log('WARN', 'A request was refused', { error: error.message });
  const limits = { maxRequestBodySize: MAX_MESSAGE_BYTES };
  const handler = createMcpHandler(serverFactory(patchTester(process.env, CONTAINER.mcpLogs)), { onerror, ...limits });
  const handle = toNodeHandler(handler, { onerror, ...limits });
  return (request, response) => {
    if (request.url?.split('?', 1)[0] !== PATH) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`The endpoint is ${PATH}.\n`);
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void exchange.run(gone.signal, () => handle(request, response));
  };
}

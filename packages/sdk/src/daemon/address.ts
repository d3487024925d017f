import { CONTAINER, ENV } from '@ssebench/contracts/layout';

/** Where a daemon listens: a Unix socket, or a TCP port. */
export type DaemonAddress = { socketPath: string } | { host: string; port: number };

/**
 * Where the environment says that the agent-facing API is: `SSE_DAEMON_SOCKET`, else `SSE_AGENT_DOCKER` (`host:port`), else
 * the usual socket. Source: spec/runtime §10.
 * @throws RangeError for a `SSE_AGENT_DOCKER` that is no `host:port`
 */
export function daemonAddress(env: NodeJS.ProcessEnv = process.env): DaemonAddress {
  const socketPath = env[ENV.daemonSocket];
  if (socketPath) return { socketPath };
  const tcp = env[ENV.daemonTcp];
  if (!tcp) return { socketPath: CONTAINER.agentSocket };
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(tcp) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host && port >= 1 && port <= 65_535) return { host, port };
  throw new RangeError(
    `${ENV.daemonTcp} must be a host and a port, such as 127.0.0.1:4263, got ${JSON.stringify(tcp)}`,
  );
}

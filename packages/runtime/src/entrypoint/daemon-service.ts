import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENV } from '@ssebench/contracts/layout';
import { programArgv } from './program.ts';
import { rootEnvironment } from './root-environment.ts';
import { Service } from './service.ts';
import type { Settings } from './settings.ts';

/** Starts the daemon; `ready` tells when it serves. */
export function startDaemon(settings: Settings): Service {
  const socketDir = dirname(settings.adminSocket);
  mkdirSync(socketDir, { recursive: true });
  chmodSync(socketDir, 0o700);
  return new Service({
    name: 'daemon',
    argv: programArgv('daemon'),
    env: rootEnvironment(process.env, daemonVariables(settings)),
    logPath: join(settings.results, 'daemon.log'),
  });
}

/** Listeners exist where they are named: the agent's are none of the grade container's, which grades a given patch. */
function daemonVariables({ mode, results, adminSocket, agentSocket, httpPort }: Settings): Record<string, string> {
  const common = { [ENV.results]: results, [ENV.adminSocket]: adminSocket };
  if (mode === 'grade') return { ...common, [ENV.capture]: 'given' };
  return { ...common, [ENV.daemonSocket]: agentSocket, [ENV.httpPort]: String(httpPort) };
}

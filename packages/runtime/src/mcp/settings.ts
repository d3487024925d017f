import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Difficulty, parseDifficulty } from '@ssebench/contracts/difficulty';
import { DEFAULTS, ENV } from '@ssebench/contracts/layout';
import { DaemonClient } from '@ssebench/sdk/daemon/daemon-client';
import { secondsOf } from '../system/seconds.ts';
import { PatchTester } from './patch-tester.ts';

/** What a call may take beyond the agent's own limit: by then the phase has ended, and the daemon says so. Seconds. */
const MARGIN = 60;

/**
 * The tester that the environment describes.
 * @param logDir where logs go that are too long for an answer, unless the environment names another place
 * @throws RangeError for a variable that is wrong, such as a level that is none
 */
export function patchTester(env: NodeJS.ProcessEnv, logDir: string): PatchTester {
  const level: Difficulty = parseDifficulty(env[ENV.difficulty]);
  const limit = (secondsOf(env, ENV.timeout) ?? DEFAULTS.agentTimeout) + MARGIN;
  return new PatchTester({
    daemon: new DaemonClient(),
    level,
    timeoutMs: limit * 1000,
    logDir: env[ENV.mcpLogDir] || logDir,
  });
}

/** For logs of whoever runs this: the directory of the server on the port is that one's alone. */
export function ownLogs(): string {
  return join(tmpdir(), `sse-test-logs-${process.getuid?.() ?? 0}`);
}

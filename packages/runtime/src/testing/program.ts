/**
 * The runtime's program with a scripted daemon in the daemon's place, for tests of whole runs: everything else is the real
 * thing. The script is `script.json` in the results directory; calls are appended to `calls.jsonl` there.
 */
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, type Script, ScriptedDaemon } from '@ssebench/sdk/testing/scripted-daemon';

const { SSE_RESULTS: results = '', SSE_ADMIN_SOCKET: socket = '', SSE_READY_FD: readyFd } = process.env;

/** How the daemon starts: ready, not at all, or never ready. */
export type Start = 'well' | 'fails' | 'hangs';

async function serve(): Promise<void> {
  const { start, script }: { start: Start; script: Script } = JSON.parse(
    readFileSync(join(results, 'script.json'), 'utf8'),
  );
  if (start === 'fails') {
    process.stderr.write('no baseline\n');
    process.exit(3);
  }
  const onCall = (call: Call) => appendFileSync(join(results, 'calls.jsonl'), `${JSON.stringify(call)}\n`);
  const daemon = await new ScriptedDaemon(socket, script, onCall).listen();
  process.on('SIGTERM', () => void daemon.close().then(() => process.exit(0)));
  appendFileSync(join(results, 'daemon-env.json'), JSON.stringify(process.env));
  if (start !== 'hangs') writeSync(Number(readyFd), 'ready\n');
}

void (process.argv[2] === 'daemon' ? serve() : import('../main.ts'));

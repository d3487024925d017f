import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Of a command, in seconds. */
const LIMIT = { default: 120, longest: 3600 };
/** What is shown of an output, in characters. */
const HEAD = 4_000;
const TAIL = 12_000;
/** How long the output of a command that has ended is waited for: what it left in the background keeps it open. Milliseconds. */
const LINGER_MS = 500;

/** As the Responses protocol offers them to the model. */
export const TOOLS = [
  {
    type: 'function',
    name: 'bash',
    description: `Runs a command with bash in the source tree, without input, and shows its output and its exit status. Every \
command is a new shell: a change of directory or of a variable ends with it. At its time limit it is killed with all that it \
started. Of a long output the first ${HEAD} and the last ${TAIL} characters are shown.`,
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        timeout: { type: 'number', description: `Seconds: ${LIMIT.default} by default, at most ${LIMIT.longest}.` },
      },
      required: ['command'],
    },
  },
  {
    type: 'function',
    name: 'test_patch',
    description: 'Builds and tests the source tree as it is now, uncommitted changes included. May take many minutes.',
    parameters: { type: 'object', properties: {} },
  },
];

export interface Result {
  output: string;
  failed: boolean;
}

/** Does what the model wants. What is wrong with that is told to the model. */
export async function perform(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<Result> {
  const { command, timeout } = input;
  if (name === 'test_patch') return await run('sse', ['test'], LIMIT.longest, signal);
  if (name !== 'bash') return { output: `There is no tool ${JSON.stringify(name)}.`, failed: true };
  if (typeof command !== 'string') return { output: 'The input must be {"command": "…"}.', failed: true };
  const seconds = typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, LIMIT.longest) : LIMIT.default;
  return await run('bash', ['-c', command], seconds, signal);
}

async function run(file: string, args: string[], seconds: number, signal: AbortSignal): Promise<Result> {
  // A group of its own, to be killed as one.
  const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [ended, closed] = [once(child, 'exit'), once(child, 'close').catch(() => [])];
  let [head, left, tail] = ['', 0, ''];
  const take = (chunk: string) => {
    const rest = tail + chunk.slice(HEAD - head.length);
    head += chunk.slice(0, HEAD - head.length);
    left += Math.max(0, rest.length - TAIL);
    tail = rest.slice(-TAIL);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
  const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  const kill = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  over.addEventListener('abort', kill);
  try {
    const [status] = await ended.finally(() => over.removeEventListener('abort', kill));
    await Promise.race([closed, delay(LINGER_MS)]);
    const shown = left === 0 ? head + tail : `${head}\n[… ${left} characters are not shown …]\n${tail}`;
    const why = over.aborted && !signal.aborted ? ` after ${seconds} s` : '';
    const end = status === null ? `killed${why}` : `exit status ${status}`;
    return { output: `${shown}${shown === '' || shown.endsWith('\n') ? '' : '\n'}[${end}]`, failed: status !== 0 };
  } catch (error) {
    return { output: (error as Error).message, failed: true };
  } finally {
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

import { get } from 'node:http';
import { CONTAINER, ENV } from '@ssebench/contracts/layout';
import { DaemonClient } from '../daemon/daemon-client.ts';
import type { DialogInput } from '../dialog/dialog-input.ts';
import { DialogWriter } from '../dialog/dialog-writer.ts';
import { buildPrompt } from '../prompt/build-prompt.ts';
import { exitStatus, type ProgramEnd, type ProgramOptions, runProgram } from './run-program.ts';
import { sessionOutcome } from './session-outcome.ts';

/** How what a program prints becomes the run's dialog. */
export interface ProgramSession {
  /** The entries that a line is worth. What it throws costs that line alone. */
  add(line: string): readonly DialogInput[];
  /** What became known beside its output, which nothing tells of; asked every second. */
  poll?(): readonly DialogInput[];
  /** What is left once the program has ended; the last entry is `complete`. What it throws costs what was left, and nothing else. */
  finish(end: ProgramEnd): readonly DialogInput[];
}

export interface RecordOptions {
  /** The agent's name in the dialog. */
  agent: string;
  session: ProgramSession;
  /** How to run it on this prompt. */
  program: (prompt: string) => Omit<ProgramOptions, 'onLine'>;
}

/**
 * Runs an agent's program on the task's prompt, and writes the run's dialog as it goes. Returns the exit status that the
 * agent is to end with: the program's own. A dialog is complete however the program ends, also when it can't be started.
 * @throws DaemonError when nobody says what the task is; the system's error when the program can't be started
 */
export async function recordProgram({ agent, session, program }: RecordOptions): Promise<number> {
  startTool();
  const task = await new DaemonClient().project();
  const prompt = buildPrompt(task);
  const dialog = new DialogWriter();
  const write = (entries: readonly DialogInput[]) => {
    for (const entry of entries) dialog.write(entry);
  };
  const model = process.env[ENV.modelName] ?? '';
  write([
    { type: 'init', data: { task: task.id, cwd: process.cwd(), model, agent } },
    { type: 'prompt', content: prompt },
  ]);
  const polled = setInterval(() => guarded(() => write(session.poll?.() ?? [])), POLL_MS).unref();
  try {
    const end = await runProgram({ ...program(prompt), onLine: (line) => write(session.add(line)) });
    write(lastOf(session, end));
    return exitStatus(end);
  } catch (error) {
    write([{ type: 'complete', status: 'error', message: (error as Error).message }]);
    throw error;
  } finally {
    clearInterval(polled);
  }
}

const POLL_MS = 1000;

/** The MCP server starts when somebody connects: so it does while the program does. Nobody waits for it here. */
function startTool(): void {
  const asked = get({ host: '127.0.0.1', port: CONTAINER.mcpPort, path: '/mcp' }, (answer) => answer.destroy());
  asked.on('socket', (socket) => socket.unref());
  asked.on('error', (error) => process.stderr.write(`the tool is not there yet: ${error.message}\n`));
}

/** How a program ended is its own, whatever became of the files that tell of its session. */
function lastOf(session: ProgramSession, end: ProgramEnd): readonly DialogInput[] {
  try {
    return session.finish(end);
  } catch (error) {
    unreadable(error);
    return [{ type: 'complete', ...sessionOutcome(end, { failed: false }) }];
  }
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    unreadable(error);
  }
}

function unreadable(error: unknown): void {
  process.stderr.write(`the session could not be read: ${(error as Error).message}\n`);
}

import { objectOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { ProgramSession } from '@ssebench/sdk/agent/record-program';
import type { ProgramEnd } from '@ssebench/sdk/agent/run-program';
import type { SessionLine } from '@ssebench/sdk/agent/session-files';
import { sessionOutcome } from '@ssebench/sdk/agent/session-outcome';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
import { CodexThread } from './thread.ts';

/**
 * A session of Codex as entries of the dialog. What it did is taken from its rollouts: `codex exec --json` prints neither
 * every call and its result as the model had them nor the tokens of an answer. The output says what went wrong. An answer
 * of the model is a turn, those of subagents included.
 */
export class CodexSession implements ProgramSession {
  readonly #written: () => readonly SessionLine[];
  readonly #threads = new Map<string, CodexThread>();
  #failure = '';

  /** @param written what was added to the rollouts since it was last asked */
  constructor(written: () => readonly SessionLine[]) {
    this.#written = written;
  }

  /** @throws SyntaxError when the line is not JSON */
  add(line: string): DialogInput[] {
    const entries = this.#catchUp();
    const event = objectOf(JSON.parse(line));
    if (event['type'] === 'error') this.#failure = textOf(event['message']);
    if (event['type'] === 'turn.failed') this.#failure = textOf(objectOf(event['error'])['message']);
    if (event['type'] === 'turn.completed') this.#failure = '';
    return entries;
  }

  poll(): DialogInput[] {
    return this.#catchUp();
  }

  finish(end: ProgramEnd): DialogInput[] {
    const entries = this.#catchUp();
    const threads = [...this.#threads.values()];
    for (const thread of threads) entries.push(...thread.release());
    const sum = (of: (thread: CodexThread) => number) => threads.reduce((total, thread) => total + of(thread), 0);
    return [
      ...entries,
      {
        type: 'complete',
        ...sessionOutcome(end, { failed: this.#failure !== '', failure: this.#failure }),
        turns: sum(({ answers }) => answers),
        total_tokens: { in: sum(({ tokens }) => tokens.in), out: sum(({ tokens }) => tokens.out) },
      },
    ];
  }

  /** A line that is not understood costs itself alone. */
  #catchUp(): DialogInput[] {
    return this.#written().flatMap(({ file, line }) => {
      const thread = this.#threads.get(file) ?? new CodexThread();
      this.#threads.set(file, thread);
      try {
        return thread.add(line);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        process.stderr.write(`${file}: a line is not JSON: ${error.message}\n`);
        return [];
      }
    });
  }
}

import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DialogEvent } from '@ssebench/contracts/dialog';
import { CONTAINER, ENV } from '@ssebench/contracts/layout';
import { z } from 'zod';
import { DialogInput } from './dialog-input.ts';
import { DialogState } from './dialog-state.ts';
import { withFileLock } from './file-lock.ts';

/** Longest text of an entry, in UTF-16 units; of a longer one head and tail are kept. */
const MAX_TEXT = 512 * 1024;
/** The same once the file has so many bytes: a session however long stays below what is read of one, and an archive may hold. */
const MAX_TEXT_LATE = 4 * 1024;
const LATE_BYTES = 32 * 1024 * 1024;
/** Read at a time to learn what others wrote. */
const CHUNK_BYTES = 1024 * 1024;

/** Where the run's dialog is. */
export function dialogPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(env[ENV.archive] || CONTAINER.archive, 'dialog.jsonl');
}

/**
 * Writes `dialog.jsonl`, each entry at once and whole. Several writers of one file, in one process or in several, keep one
 * order of numbers. `init` begins the file anew; `complete` ends it: it closes tools that are open, and what comes after
 * it is dropped. Nothing is ever thrown: a session that can't be recorded goes on. Source: spec/runtime §11.
 */
export class DialogWriter {
  readonly #path: string;
  readonly #onProblem: (problem: string) => void;
  #state = new DialogState();
  /** Up to where the file was read, and which file that is. */
  #offset = 0;
  #inode: number | undefined;

  constructor(
    path: string = dialogPath(),
    onProblem: (problem: string) => void = (problem) => process.stderr.write(`dialog: ${problem}\n`),
  ) {
    this.#path = path;
    this.#onProblem = onProblem;
  }

  /** Appends an entry. Returns whether it was written; why it was not goes to `onProblem`. */
  write(input: DialogInput): boolean {
    try {
      const parsed = DialogInput.safeParse(input);
      if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
      mkdirSync(join(this.#path, '..'), { recursive: true });
      withFileLock(`${this.#path}.lock`, () => this.#append(parsed.data));
      return true;
    } catch (error) {
      this.#onProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #append(input: z.output<typeof DialogInput>): void {
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const fd = openSync(this.#path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
    try {
      if (input.type === 'init') ftruncateSync(fd);
      const isTorn = this.#catchUp(fd);
      if (this.#state.completed) throw new Error(`the dialog is complete: ${input.type} was not recorded`);
      const ts = new Date().toISOString();
      const max = this.#offset < LATE_BYTES ? MAX_TEXT : MAX_TEXT_LATE;
      const lines = this.#eventsOf(input).map((event, index) => {
        return `${JSON.stringify({ seq: this.#state.seq + index, ts, ...shortened(event, max) })}\n`;
      });
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${lines.join('')}`);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
  }

  /** Takes in what was written since the last time. True when the last line has no end: its writer was killed. */
  #catchUp(fd: number): boolean {
    const { ino, size } = fstatSync(fd);
    if (ino !== this.#inode || size < this.#offset || size === 0) {
      this.#state = new DialogState();
      this.#offset = 0;
      this.#inode = ino;
    }
    let rest: Buffer = Buffer.alloc(0);
    while (this.#offset + rest.length < size) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - this.#offset - rest.length));
      const read = readSync(fd, chunk, 0, chunk.length, this.#offset + rest.length);
      if (read === 0) break;
      rest = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = rest.lastIndexOf(0x0a) + 1;
      for (const line of rest.toString('utf8', 0, end).split('\n')) this.#state.addLine(line);
      this.#offset += end;
      rest = rest.subarray(end);
    }
    return rest.length > 0;
  }

  #eventsOf(input: z.output<typeof DialogInput>): DialogEvent[] {
    const state = this.#state;
    if (input.type === 'tool') {
      return [
        {
          ...input,
          name: (input.status !== 'running' && state.openTools.get(input.tool_id)) || input.name || 'unknown',
        },
      ];
    }
    if (input.type !== 'complete') return [input];
    const unfinished = [...state.openTools].map(([tool_id, name]): DialogEvent => {
      return { type: 'tool', tool_id, name, status: 'error', error: 'The session ended before the tool did.' };
    });
    const { status, message, turns = state.turns, total_tokens = state.tokens } = input;
    const { duration_ms = Math.max(0, Date.now() - (state.startedAt ?? Date.now())) } = input;
    return [
      ...unfinished,
      { type: 'complete', status, turns, duration_ms, total_tokens, ...(message === undefined ? {} : { message }) },
    ];
  }
}

/** The event with long texts cut, wherever they are in it. */
function shortened(event: DialogEvent, max: number): DialogEvent {
  return JSON.parse(JSON.stringify(event), (_, value: unknown) => {
    return typeof value === 'string' ? cut(value, max) : value;
  });
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = max / 2;
  return `${text.slice(0, half)}\n[… ${text.length - max} characters were not kept …]\n${text.slice(-half)}`;
}

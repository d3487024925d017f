import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import type { RunEvent } from '@ssebench/contracts/events';
import { duration, narrate } from './narrate.ts';
import type { RunProgress } from './run-progress.ts';

/** How often the line at the bottom is drawn, in milliseconds. */
const REDRAW = 200;
/** How much of a log's end is read for its last line. Bytes. */
const TAIL = 4096;
const CLEAR_LINE = '\r\x1b[2K';

/** What ended stands as lines; what goes on is one line at the bottom, with its time and the last line of its output. */
export class TerminalProgress implements RunProgress {
  readonly #out: WriteStream;
  readonly #timer: NodeJS.Timeout;
  #title = '';
  #titleSince = performance.now();
  #tail = '';
  #log: string | undefined;

  constructor(out: WriteStream) {
    this.#out = out;
    this.#timer = setInterval(() => this.#draw(), REDRAW).unref();
  }

  step(name: string): void {
    this.#begin(name);
  }

  line(text: string): void {
    this.#tail = text;
  }

  done(cached: boolean): void {
    if (!cached) this.#say(`✔ ${this.#title} (${this.#elapsed()})`);
  }

  phase(name: string, log?: string): void {
    this.#begin(name, log);
    this.#draw();
  }

  event(event: RunEvent): void {
    const said = narrate(event);
    if (said?.kind === 'now') this.#begin(said.text, this.#log);
    if (said?.kind === 'ended') this.#say(`· ${said.text}`);
  }

  notice(text: string): void {
    this.#say(text);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#out.write(CLEAR_LINE);
  }

  #begin(title: string, log?: string): void {
    this.#title = title;
    this.#titleSince = performance.now();
    this.#tail = '';
    this.#log = log;
  }

  #say(line: string): void {
    this.#out.write(`${CLEAR_LINE}${line}\n`);
    this.#draw();
  }

  #draw(): void {
    if (this.#title === '') return;
    const tail = this.#log ? (lastLineOf(this.#log) ?? '') : this.#tail;
    const line = `  ${this.#title}  ${this.#elapsed()}  ${printable(tail)}`;
    this.#out.write(`${CLEAR_LINE}${line.slice(0, Math.max(20, this.#out.columns - 1))}`);
  }

  #elapsed(): string {
    return duration(performance.now() - this.#titleSince);
  }
}

/** Logs hold what agents write: nothing of it may steer the terminal. */
function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ');
}

function lastLineOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const buffer = Buffer.alloc(TAIL);
    const start = Math.max(0, fstatSync(file).size - TAIL);
    const length = readSync(file, buffer, 0, TAIL, start);
    return buffer.toString('utf8', 0, length).trimEnd().split('\n').at(-1);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

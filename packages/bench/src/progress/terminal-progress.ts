import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import type { RunEvent } from '@ssebench/contracts/events';
import { printable } from '../printable.ts';
import { logTail } from '../results/log-tail.ts';
import { duration, narrate } from './narrate.ts';
import type { RunProgress } from './run-progress.ts';

/** How often the line at the bottom is drawn, in milliseconds. */
const REDRAW = 200;
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
    this.#out.write(`${CLEAR_LINE}${printable(line)}\n`);
    this.#draw();
  }

  #draw(): void {
    if (this.#title === '') return;
    const tail = this.#log ? (logTail(this.#log, 1)?.[0] ?? '') : stripVTControlCharacters(this.#tail);
    const line = `  ${this.#title}  ${this.#elapsed()}  ${printable(tail)}`;
    this.#out.write(`${CLEAR_LINE}${line.slice(0, Math.max(20, this.#out.columns - 1))}`);
  }

  #elapsed(): string {
    return duration(performance.now() - this.#titleSince);
  }
}

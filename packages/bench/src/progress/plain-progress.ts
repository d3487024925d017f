import type { RunEvent } from '@ssebench/contracts/events';
import { printable } from '../printable.ts';
import { duration, narrate } from './narrate.ts';
import type { RunProgress } from './run-progress.ts';

/** How often a step that goes on is told, in milliseconds. */
const REMINDER = 20_000;

/** One line for each thing that ended, and for a step that takes long, with the time since the start: for logs and pipes. */
export class PlainProgress implements RunProgress {
  readonly #startedAt = performance.now();
  readonly #write: (line: string) => void;
  #step = '';
  #stepStartedAt = 0;
  #reminder: NodeJS.Timeout | undefined;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  step(name: string): void {
    this.#step = name;
    this.#stepStartedAt = performance.now();
    clearInterval(this.#reminder);
    this.#reminder = setInterval(() => this.#say(`${name} …`), REMINDER).unref();
  }

  line(_text: string): void {
    // A build's output is for a terminal, or for the error that shows its end.
  }

  done(cached: boolean): void {
    clearInterval(this.#reminder);
    if (!cached) this.#say(`${this.#step}: ${duration(performance.now() - this.#stepStartedAt)}`);
  }

  phase(name: string): void {
    clearInterval(this.#reminder);
    this.#say(name);
  }

  event(event: RunEvent): void {
    const said = narrate(event);
    if (said?.kind === 'ended') this.#say(said.text);
  }

  notice(text: string): void {
    this.#say(text);
  }

  close(): void {
    clearInterval(this.#reminder);
  }

  #say(text: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1).padStart(6);
    this.#write(`${seconds}s  ${printable(text)}\n`);
  }
}

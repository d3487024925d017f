import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { fileState } from './file-state.ts';

/**
 * Variables of the process's environment, then of a file (a `.env`), as it was at the last `refresh`. Values are trimmed; an
 * empty one counts as unset. Source: spec/host §7.2.
 */
export class EnvironmentThenFile {
  readonly #file: string;
  readonly #environment: NodeJS.ProcessEnv;
  #state = '';
  #values: NodeJS.Dict<string> = {};

  /** @param environment as it is now; a copy, because `process.env` asks the system each time, and each call asks for a key */
  constructor(file: string, environment: NodeJS.ProcessEnv = process.env) {
    this.#file = file;
    this.#environment = { ...environment };
  }

  /** Reads the file if it is another one than before; true when it was. */
  refresh(): boolean {
    const state = fileState(this.#file);
    if (state === this.#state) return false;
    this.#values = state === '' ? {} : parseEnv(readFileSync(this.#file, 'utf8'));
    this.#state = state;
    return true;
  }

  get(name: string): string | undefined {
    return this.#environment[name]?.trim() || this.#values[name]?.trim() || undefined;
  }
}

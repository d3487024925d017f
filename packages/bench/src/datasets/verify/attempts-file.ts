import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { Attempt } from './attempt.ts';

/** Every attempt of an output folder, one JSON line each, only ever added to: a verification that was stopped goes on from it. */
export class AttemptsFile {
  readonly #path: string;
  readonly #attempts: Attempt[];

  private constructor(path: string, attempts: Attempt[]) {
    this.#path = path;
    this.#attempts = attempts;
  }

  /** @throws UserError with the line of what is no attempt; a last line without its end is what a kill left, and is passed over */
  static open(output: string): AttemptsFile {
    const path = join(output, 'runs.jsonl');
    return new AttemptsFile(path, existsSync(path) ? parse(readFileSync(path, 'utf8'), showPath(path)) : []);
  }

  /** In the order in which they ended. */
  get all(): readonly Attempt[] {
    return this.#attempts;
  }

  async add(attempt: Attempt): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    // The end of a line that a kill cut off comes first.
    const before = existsSync(this.#path) && !readFileSync(this.#path, 'utf8').endsWith('\n') ? '\n' : '';
    await appendFile(this.#path, `${before}${JSON.stringify(attempt)}\n`);
    this.#attempts.push(attempt);
  }
}

function parse(text: string, place: string): Attempt[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const attempt = Attempt.safeParse(parseJson(line));
    if (attempt.success) return [attempt.data];
    // Cut off by a kill: the line after it, if any, was begun anew.
    if (parseJson(line) === undefined) return [];
    const problem = attempt.error.issues[0]?.message ?? 'unknown form';
    throw new UserError(`${place}:${index + 1}: is no attempt of this version (${problem}): use another --output`);
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

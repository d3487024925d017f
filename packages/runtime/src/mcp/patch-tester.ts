import type { Difficulty } from '@ssebench/contracts/difficulty';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import { SerialQueue } from '../daemon/serial-queue.ts';
import { answerText, CHECK_TITLES, INTERNAL_FAILURE, namedFailure } from './answer.ts';
import { log } from './log.ts';
import { logSection } from './log-section.ts';
import { type PatchTest, type TestingDaemon, testPatch } from './patch-test.ts';

/** How often a call is begun anew because others made the daemon drop its build. */
const TRIES = 3;
/** Between two signs of life while a check runs. Milliseconds. */
const SIGN_OF_LIFE = 5_000;

interface TesterOptions {
  daemon: TestingDaemon;
  level: Difficulty;
  /** Limit of one check, milliseconds. */
  timeoutMs: number;
  /** Where logs go that are too long for an answer. */
  logDir: string;
}

interface CallOptions {
  signal: AbortSignal;
  /** Told what is done now, again and again while it lasts. */
  onProgress?: ((message: string) => void) | undefined;
}

/** Answers calls of `test_patch`, one at a time: builds of two calls are never mixed. */
export class PatchTester {
  readonly level: Difficulty;
  readonly #options: TesterOptions;
  readonly #queue = new SerialQueue();

  constructor(options: TesterOptions) {
    this.level = options.level;
    this.#options = options;
  }

  /** The whole answer. What kept the tests from running becomes the internal failure, and its cause a line of the log. */
  async call({ signal, onProgress }: CallOptions): Promise<string> {
    const start = performance.now();
    let what = 'waiting for another test_patch';
    const tell = () => onProgress?.(`${what} (${Math.round((performance.now() - start) / 1000)} s)`);
    const timer = onProgress && setInterval(tell, SIGN_OF_LIFE);
    const onCheck = (check: string) => {
      what = check;
      tell();
    };
    try {
      const test = await this.#queue.run(() => this.#test(signal, onCheck), signal);
      const ms = Math.round(performance.now() - start);
      log('INFO', 'test_patch', { ms, ...Object.fromEntries(test.checks.map(({ check, state }) => [check, state])) });
      return answerText(test, this.#logOf(test));
    } catch (error) {
      log('ERROR', 'test_patch failed', causeOf(error));
      return INTERNAL_FAILURE;
    } finally {
      clearInterval(timer);
    }
  }

  async #test(signal: AbortSignal, onCheck: (what: string) => void): Promise<PatchTest> {
    const { daemon, level, timeoutMs } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await testPatch(daemon, level, { timeoutMs, signal, onCheck });
      } catch (error) {
        const isReplaced = error instanceof DaemonError && error.code === 'unknown_build';
        if (!isReplaced || attempt === TRIES) throw error;
      }
    }
  }

  #logOf(test: PatchTest): string | undefined {
    const failure = namedFailure(test);
    if (!failure) return undefined;
    return logSection(CHECK_TITLES[failure.check], failure.log ?? '', this.#options.logDir, (error) => {
      log('WARN', 'A log could not be saved', { error: String(error) });
    });
  }
}

function causeOf(error: unknown): Record<string, string> {
  if (error instanceof DaemonError) return { code: error.code, error: error.message };
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

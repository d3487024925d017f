import { copyFileSync, existsSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyInfo, Settlement, Usage } from '../server/ports.ts';
import { LEDGER_FILE } from './database.ts';

/** In memory where the system has such a folder: what a test waits for is not the disk. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const temporaryFolder = () => mkdtempDisposableSync(join(ROOT, 'ssebench-ledger-'));

export const RUN: KeyInfo = { runId: 'run-1', model: 'model-one', budget: 1_000n, concurrency: 100, settings: '{}' };

export const NO_TOKENS: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };

export function settlement(cost: bigint, more: Partial<Settlement> = {}): Settlement {
  return {
    usage: NO_TOKENS,
    cost,
    uncertain: 0n,
    servedModel: undefined,
    fingerprint: undefined,
    status: 200,
    failure: undefined,
    loweredOutputTo: undefined,
    firstByteMs: 12.5,
    totalMs: 100,
    ...more,
  };
}

/** The files of a ledger in use, as its process would leave them if it were killed now. */
export function copyAsKilled(from: string, to: string): void {
  for (const name of [LEDGER_FILE, `${LEDGER_FILE}-wal`]) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
}

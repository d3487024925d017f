import { hash, randomBytes } from 'node:crypto';

/** A key for the calls of one run: 256 random bits. */
export function newRunKey(): string {
  return `sk-ssebench-${randomBytes(32).toString('base64url')}`;
}

/** What the ledger keeps of a key. A random key needs no slow hash. */
export function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

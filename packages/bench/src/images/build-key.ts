import { createHash } from 'node:crypto';

/** SHA-256 (lowercase hex) of everything that goes into an image, by name. Equal keys: nothing to build. */
export function buildKey(parts: Readonly<Record<string, string | readonly string[]>>): string {
  const sorted = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** The part of a key or an image id (`sha256:…`) that names and tags carry. */
export function short(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}

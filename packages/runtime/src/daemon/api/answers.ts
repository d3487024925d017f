import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Diff } from '@ssebench/contracts/daemon-api';
import { DaemonError } from '../daemon-error.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { PatchOnDisk } from '../patches.ts';

/** Most bytes of a diff in a JSON body: text of that length costs several times as much memory. */
const MAX_JSON_DIFF_BYTES = 32 * 1024 * 1024;
const OCTETS = 'application/octet-stream';

/**
 * A patch as the caller asked for it: as it is with `Accept: application/octet-stream`, otherwise as a `Diff`. `done` is
 * called when the file is no longer needed.
 * @throws DaemonError `patch_too_large` when it is too large for JSON
 */
export async function diffAnswer(call: Call, patch: PatchOnDisk | null, done?: () => Promise<void>): Promise<Answer> {
  const asBytes = call.header('accept')?.includes(OCTETS) ?? false;
  if (asBytes) return octets(patch, done);
  try {
    return json(await diffOf(patch));
  } finally {
    await done?.();
  }
}

function octets(patch: PatchOnDisk | null, done?: () => Promise<void>): Answer {
  const headers = { 'content-type': OCTETS, 'content-length': String(patch?.bytes ?? 0) };
  return { status: 200, headers, body: patch ? bytesOf(patch, done) : '' };
}

async function* bytesOf({ path, bytes }: PatchOnDisk, done?: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    if (bytes > 0) yield* createReadStream(path, { end: bytes - 1 }) as AsyncIterable<Buffer>;
  } finally {
    await done?.();
  }
}

async function diffOf(patch: PatchOnDisk | null): Promise<Diff> {
  if (!patch) return { diff: '', encoding: 'utf8', bytes: 0 };
  if (patch.bytes > MAX_JSON_DIFF_BYTES) {
    const text = `the patch has ${patch.bytes} bytes, more than fit into JSON: ask with Accept: ${OCTETS}`;
    throw new DaemonError('patch_too_large', text);
  }
  const content = await readFile(patch.path);
  if (isUtf8(content)) return { diff: content.toString('utf8'), encoding: 'utf8', bytes: content.length };
  return { diff: content.toString('base64'), encoding: 'base64', bytes: content.length };
}

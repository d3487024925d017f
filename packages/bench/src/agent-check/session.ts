import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DialogEntry } from '@ssebench/contracts/dialog';
import { z } from 'zod';

/** A session of the check is short; more than this is not read. Bytes. */
const MAX_BYTES = 32 * 2 ** 20;

type Entry = z.infer<typeof DialogEntry>;
export type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>;

/** What a run's `dialog.jsonl` holds. */
export interface Session {
  entries: readonly Entry[];
  /** Lines that are no entries: `12: what is wrong`. */
  broken: readonly string[];
}

/** Undefined when the run left none that is a file of its own: a link leads wherever its agent likes. @param directory of the run */
export function readSession(directory: string): Session | undefined {
  const path = join(directory, 'archive/dialog.jsonl');
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return sessionOf(readFileSync(path).subarray(0, MAX_BYTES).toString('utf8'));
}

/** @param text of a `dialog.jsonl` */
export function sessionOf(text: string): Session {
  const entries: Entry[] = [];
  const broken: string[] = [];
  for (const [index, line] of text.trimEnd().split('\n').entries()) {
    const parsed = DialogEntry.safeParse(jsonOf(line));
    if (parsed.success) entries.push(parsed.data);
    else broken.push(`${index + 1}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 200)}`);
  }
  return { entries, broken };
}

export function entriesOf<Type extends Entry['type']>({ entries }: Session, type: Type): EntryOf<Type>[] {
  return entries.filter((entry): entry is EntryOf<Type> => entry.type === type);
}

/** How the session ended; undefined when nobody said. */
export function endOf(session: Session | undefined): EntryOf<'complete'> | undefined {
  return session && entriesOf(session, 'complete').at(-1);
}

/** Undefined for what is not JSON: no schema takes it. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

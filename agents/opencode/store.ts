import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** A part of an answer of the model, as OpenCode keeps it. */
export interface StoredPart {
  id: string;
  message: string;
  /** Which agent of OpenCode's it is of; empty for the session's own. */
  subagent: string;
  /** JSON. */
  data: string;
}

const CHANGED = `
  SELECT part.id, part.time_updated AS updated, part.message_id AS message, part.data,
    CASE WHEN session.parent_id IS NULL THEN '' ELSE coalesce(json_extract(message.data, '$.agent'), 'subagent') END AS subagent
  FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id
  WHERE part.time_updated >= ? AND json_extract(message.data, '$.role') = 'assistant'
  ORDER BY part.id`;

/** OpenCode's database of its sessions (SQLite), which it writes to meanwhile. */
export class Store {
  readonly #path: string;
  #changed: StatementSync | undefined;
  /** Milliseconds since the epoch. */
  #since = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The parts that changed since the last time, or at that moment, oldest first; none before OpenCode has made its tables. */
  read(): StoredPart[] {
    if (!existsSync(this.#path)) return [];
    try {
      this.#changed ??= new DatabaseSync(this.#path, { readOnly: true, timeout: 1000 }).prepare(CHANGED);
      const rows = this.#changed.all(this.#since);
      this.#since = rows.reduce((latest, { updated }) => Math.max(latest, Number(updated)), this.#since);
      const text = (row: (typeof rows)[number], column: keyof StoredPart) => String(row[column] ?? '');
      return rows.map((row) => ({
        id: text(row, 'id'),
        message: text(row, 'message'),
        subagent: text(row, 'subagent'),
        data: text(row, 'data'),
      }));
    } catch (error) {
      if (!(error as Error).message.includes('no such table')) throw error;
      return [];
    }
  }
}

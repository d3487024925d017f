import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { Store } from './store.ts';

test('what changed is read while OpenCode writes, without what the user said, and with whose it is', () => {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  const path = join(directory, 'opencode.db');
  const store = new Store(path);
  expect(store.read()).toEqual([]);

  const writer = new DatabaseSync(path);
  writer.exec('PRAGMA journal_mode = WAL');
  expect(store.read()).toEqual([]);
  writer.exec(`
    CREATE TABLE session (id text PRIMARY KEY, parent_id text);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_updated integer, data text);
    INSERT INTO session VALUES ('s1', NULL), ('s2', 's1');
    INSERT INTO message VALUES
      ('m1', 's1', '{"role":"user"}'), ('m2', 's1', '{"role":"assistant","agent":"build"}'),
      ('m3', 's2', '{"role":"assistant","agent":"general"}');
    INSERT INTO part VALUES ('p1', 'm1', 's1', 10, '{"n":1}'), ('p2', 'm2', 's1', 20, '{"n":2}')`);
  expect(store.read()).toEqual([{ id: 'p2', message: 'm2', subagent: '', data: '{"n":2}' }]);
  writer.exec(
    `INSERT INTO part VALUES ('p3', 'm3', 's2', 30, '{"n":3}'); UPDATE part SET time_updated = 40 WHERE id = 'p2'`,
  );
  expect(store.read().map(({ id, subagent }) => [id, subagent])).toEqual([
    ['p2', ''],
    ['p3', 'general'],
  ]);
  writer.close();
  rmSync(directory, { recursive: true });
});

import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groupedTransactions } from './database.ts';

/** Writes numbers; tells how many were committed by each commit. */
function grouped() {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE numbers (number INTEGER)');
  const insert = db.prepare('INSERT INTO numbers VALUES (?)');
  const commits: number[] = [];
  let written = 0;
  const group = groupedTransactions(db, {
    beforeCommit: () => undefined,
    committed: () => {
      commits.push(written);
      written = 0;
    },
    undone: () => undefined,
  });
  const write = () =>
    group.transaction(() => {
      insert.run(1);
      written += 1;
    });
  const rows = () => Number(db.prepare('SELECT count(*) AS rows FROM numbers').get()?.['rows']);
  return { db, insert, commits, write, durable: () => group.durable(), rows };
}

test('a commit takes what the next turns bring, and comes when one has brought nothing', async () => {
  const { commits, write, durable } = grouped();
  write();
  await turn();
  write();
  write();
  await turn();
  expect(commits).toEqual([]);
  await durable();
  expect(commits).toEqual([3]);
});

test('one write alone waits for a turn that brings nothing, and no longer', async () => {
  const { commits, write } = grouped();
  write();
  for (let turns = 0; turns < 3; turns++) await turn();
  expect(commits).toEqual([1]);
});

test('a commit comes although every turn brings more', async () => {
  const { commits, write } = grouped();
  for (let turns = 0; turns < 50; turns++) {
    write();
    await turn();
  }
  expect(commits.length).toBeGreaterThan(5);
});

test('a statement of nobody that finds the disk full undoes the group: whoever waits is told, and what follows is a commit of its own', async () => {
  const { db, insert, commits, write, durable, rows } = grouped();
  write();
  const waiting = durable();
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() ?? {};
  db.exec(`PRAGMA max_page_count = ${pages}`);
  expect(() => insert.run(Buffer.alloc(100_000))).toThrow('full');
  db.exec('PRAGMA max_page_count = 100000');
  write();
  await expect(waiting).rejects.toThrow('undid the transaction');
  await durable();
  expect(commits).toHaveLength(1);
  expect(rows()).toBe(1);
});

test('a group that was undone is not committed', async () => {
  const { db, write, durable, commits } = grouped();
  write();
  const waiting = durable();
  db.exec('ROLLBACK');
  await expect(waiting).rejects.toThrow('undid the transaction');
  expect(commits).toEqual([]);
});

import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groupedTransactions } from './database.ts';

/** Writes numbers; tells how many were committed by each commit. */
function grouped() {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE numbers (number INTEGER)');
  const insert = db.prepare('INSERT INTO numbers VALUES (1)');
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
      insert.run();
      written += 1;
    });
  return { commits, write, durable: () => group.durable() };
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

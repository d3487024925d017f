import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksOf } from '@ssebench/contracts/task-config';
import { describe, expect, test } from 'vitest';
import { listTasks, type Task } from './tasks.ts';

const STARTER = join(import.meta.dirname, '../../../../datasets/starter');
const { tasks, problems } = listTasks(STARTER);

/** A file that a task's config names, as it lies in the task folder. */
function fileOf(task: Task, path: string): Buffer {
  return readFileSync(join(task.dir, 'sse', path));
}

describe('datasets/starter', () => {
  test('has eight tasks that are sound in form, of every language', () => {
    expect(problems).toEqual([]);
    expect(tasks).toHaveLength(8);
    expect(new Set(tasks.map((task) => task.config.language))).toEqual(new Set(['c', 'go', 'rust']));
  });

  test('has a task without a proof of concept, and one without hidden tests', () => {
    const lacking = (check: 'poc' | 'intent_test') => tasks.filter((task) => !checksOf(task.config).includes(check));
    expect(lacking('poc').map(({ id }) => id)).toEqual(['turnstile-short-mac']);
    expect(lacking('intent_test').map(({ id }) => id)).toEqual(['gapline-heap-overflow']);
  });

  test('has a proof of concept of 0 bytes, a binary one and one with an odd name', () => {
    const pocs = tasks.flatMap((task) =>
      (task.config.files.poc ?? []).map((poc) => ({ poc, bytes: fileOf(task, poc) })),
    );
    const binary = pocs.filter(({ bytes }) => bytes.includes(0) && bytes.toString('utf8').includes('\ufffd'));
    expect(pocs.filter(({ bytes }) => bytes.length === 0)).toHaveLength(1);
    expect(binary.length).toBeGreaterThan(1);
    expect(pocs.map(({ poc }) => poc).filter((poc) => /[ –]/.test(poc))).toHaveLength(1);
  });

  test('has a task whose sources and diffs have DOS line ends in every line that is theirs', () => {
    const task = tasks.find(({ id }) => id === 'dbftab-buffer-underread');
    expect(task).toBeDefined();
    if (!task) return;
    const sources = Object.keys(task.files).filter((path) => /^src\/.*\.[ch]$/.test(path));
    expect(sources.length).toBeGreaterThan(3);
    for (const path of sources) {
      expect(readFileSync(join(task.dir, path), 'latin1'), path).toMatch(/^(?:[^\r\n]*\r\n)+$/);
    }
    for (const path of [task.config.files.patch, task.config.files.future_test]) {
      const diff = fileOf(task, path ?? '').toString('latin1');
      const lines = diff.split('\n').filter((line) => /^[ +-](?!\+\+ |-- )/.test(line));
      expect(lines.length, `${path}`).toBeGreaterThan(3);
      expect(
        lines.filter((line) => !line.endsWith('\r')),
        `${path}`,
      ).toEqual([]);
    }
  });
});

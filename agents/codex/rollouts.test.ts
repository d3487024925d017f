import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Rollouts } from './rollouts.ts';

test('each line is given once, when it is whole, whichever file it is in', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rollouts-'));
  const day = join(directory, 'sessions/2026/01/31');
  const rollouts = new Rollouts(join(directory, 'sessions'));
  expect(rollouts.read()).toEqual([]);
  mkdirSync(day, { recursive: true });
  appendFileSync(join(day, 'a.jsonl'), '{"n":1}\n{"n":2}\n{"te');
  expect(rollouts.read().map(({ line }) => line)).toEqual(['{"n":1}', '{"n":2}']);
  appendFileSync(join(day, 'a.jsonl'), 'xt":"ü"}\n');
  appendFileSync(join(day, 'b.jsonl'), '{"n":3}\n');
  expect(rollouts.read()).toEqual([
    { file: '2026/01/31/a.jsonl', line: '{"text":"ü"}' },
    { file: '2026/01/31/b.jsonl', line: '{"n":3}' },
  ]);
  expect(rollouts.read()).toEqual([]);
  rmSync(directory, { recursive: true });
});

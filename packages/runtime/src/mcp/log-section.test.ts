import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logSection } from './log-section.ts';

let dir: string;
let problems: unknown[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-logs-'));
  problems = [];
});
afterEach(() => rmSync(dir, { recursive: true }));

const section = (log: string, to = join(dir, 'logs')) => logSection('build', log, to, (error) => problems.push(error));
const words = (count: number, between = ' ') => Array.from({ length: count }, (_, index) => `w${index}`).join(between);

test('a log is shown whole up to its limit, and an empty one is none', () => {
  const log = words(10_000);
  expect(section(log)).toBe(`Full log (build):\n${log}`);
  expect(section(' \n\n')).toBe('Full log (build):\nNo log available');
});

test('of a longer one the last hundred lines are shown, and the rest is in a file that everybody can read', () => {
  const log = words(10_001, '\n');
  const text = section(log);
  const [name = ''] = readdirSync(join(dir, 'logs'));
  const path = join(dir, 'logs', name);
  expect(text).toBe(
    `Truncated log (build):\n${words(10_001, '\n').split('\n').slice(-100).join('\n')}\n\nFull log available at ${path}`,
  );
  expect(name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.txt$/);
  expect(readFileSync(path, 'utf8')).toBe(log);
  expect([statSync(path).mode & 0o777, statSync(join(dir, 'logs')).mode & 0o777]).toEqual([0o644, 0o755]);
});

test('of few and long lines the last words are shown', () => {
  const text = section(`${words(10_000)} last`);
  expect(text.split('\n')[1]).toBe(`${words(10_000).slice(3)} last`);
});

test('one word as long as a book is cut by its bytes, between characters', () => {
  const shown = section('ü'.repeat(200_000)).split('\n')[1] ?? '';
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(128 * 1024);
  expect(shown).toMatch(/^ü+$/);
});

test('a log that can’t be saved says so', () => {
  expect(section(words(10_001), '/proc/none')).toMatch(/\n\n\(Full log could not be saved due to an internal error\)$/);
  expect(problems).toHaveLength(1);
});

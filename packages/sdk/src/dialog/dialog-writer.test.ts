import { execFile } from 'node:child_process';
import {
  appendFileSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DialogEntry } from '@ssebench/contracts/dialog';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DialogWriter } from './dialog-writer.ts';

let directory: string;
let path: string;
let problems: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dialog-'));
  path = join(directory, 'archive', 'dialog.jsonl');
  problems = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

const writer = (): DialogWriter => new DialogWriter(path, (problem) => problems.push(problem));
const INIT = { type: 'init', data: { task: 't-1', cwd: '/src', model: 'm', agent: 'a' } } as const;

/** Every line, checked against the contract, without times. */
function entries(): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    DialogEntry.parse(JSON.parse(line));
    const { ts: _, ...entry } = JSON.parse(line);
    return entry;
  });
}

test('a session is recorded in order, with what is known from it filled in', () => {
  const dialog = writer();
  dialog.write(INIT);
  dialog.write({ type: 'prompt', content: '# Task' });
  dialog.write({ type: 'message', content: 'Looking.', tokens: { in: 900, out: 31 } });
  dialog.write({ type: 'tool', tool_id: 'c1', name: 'bash', status: 'running', args: { command: 'make' } });
  dialog.write({ type: 'tool', tool_id: 'c1', status: 'error', error: 'exit code 2' });
  dialog.write({ type: 'complete', status: 'success' });
  expect(entries()).toEqual([
    { seq: 0, ...INIT },
    { seq: 1, type: 'prompt', content: '# Task' },
    { seq: 2, type: 'message', role: 'assistant', content: 'Looking.', tokens: { in: 900, out: 31 } },
    { seq: 3, type: 'tool', tool_id: 'c1', name: 'bash', status: 'running', args: { command: 'make' } },
    { seq: 4, type: 'tool', tool_id: 'c1', name: 'bash', status: 'error', error: 'exit code 2' },
    {
      seq: 5,
      type: 'complete',
      status: 'success',
      turns: 1,
      duration_ms: expect.any(Number),
      total_tokens: { in: 900, out: 31 },
    },
  ]);
  expect(problems).toEqual([]);
});

test('the end closes the tools that are open, whoever opened them, and nothing follows it', () => {
  writer().write(INIT);
  writer().write({ type: 'tool', tool_id: 'x', name: 'edit', status: 'running' });
  writer().write({ type: 'tool', tool_id: 'none', status: 'success', result: '' });
  const last = writer();
  last.write({ type: 'complete', status: 'timeout', turns: 7 });
  expect(last.write({ type: 'message', content: 'late' })).toBe(false);
  expect(writer().write({ type: 'complete', status: 'success' })).toBe(false);
  expect(entries().slice(2)).toMatchObject([
    { tool_id: 'none', name: 'unknown', status: 'success' },
    { tool_id: 'x', name: 'edit', status: 'error', error: expect.stringContaining('ended') },
    { seq: 4, type: 'complete', status: 'timeout', turns: 7 },
  ]);
  expect(problems).toEqual([expect.stringContaining('message'), expect.stringContaining('complete')]);
});

test('a new session begins the file anew', () => {
  writer().write(INIT);
  writer().write({ type: 'complete', status: 'error' });
  writer().write(INIT);
  expect(entries()).toEqual([{ seq: 0, ...INIT }]);
});

test('writers in several processes lose no entry and give no number twice', async () => {
  writer().write(INIT);
  const source = fileURLToPath(new URL('./dialog-writer.ts', import.meta.url));
  const script = `import { DialogWriter } from ${JSON.stringify(source)};
    const dialog = new DialogWriter(process.argv[1]);
    for (let i = 0; i < 50; i += 1) dialog.write({ type: 'message', content: process.argv[2] + i });`;
  const argv = ['--input-type=module', '--eval', script, path];
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => promisify(execFile)(process.execPath, [...argv, name])));
  const found = entries();
  expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 201 }, (_, seq) => seq));
  expect(new Set(found.slice(1).map(({ content }) => content)).size).toBe(200);
});

test('a line that a killed writer left unfinished spoils no other, and its lock is not waited for', () => {
  const dialog = writer();
  dialog.write(INIT);
  appendFileSync(path, '{"seq":1,"ty');
  writeFileSync(`${path}.lock`, '');
  utimesSync(`${path}.lock`, 1, 1);
  dialog.write({ type: 'thinking', content: 'on' });
  const lines = readFileSync(path, 'utf8').split('\n');
  expect([lines[1], JSON.parse(lines[2] ?? '')]).toEqual(['{"seq":1,"ty', expect.objectContaining({ seq: 1 })]);
});

test.for([
  ['a directory', (lock: string) => mkdirSync(join(lock, 'in/it'), { recursive: true })],
  ['a link to nothing', (lock: string) => symlinkSync('/no/such', lock)],
  ['a file from the future', (lock: string) => writeFileSync(lock, '')],
] as const)('%s in the place of the lock stops nobody for long', ([, put]) => {
  const lock = `${path}.lock`;
  writer().write(INIT);
  put(lock);
  lutimesSync(lock, 1, 4e9);
  const start = performance.now();
  for (let count = 0; count < 3; count += 1) expect(writer().write({ type: 'message', content: 'on' })).toBe(true);
  expect(performance.now() - start).toBeLessThan(1_500);
  expect(entries()).toHaveLength(4);
});

test('what can’t be written is a problem to tell, never an error', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(writer().write({ type: 'tool', tool_id: 'x', name: 'y', status: 'running', args: circular })).toBe(false);
  expect(writer().write({ type: 'message' } as never)).toBe(false);
  rmSync(join(directory, 'archive'), { recursive: true });
  symlinkSync('/proc/version', join(directory, 'archive'));
  expect(writer().write(INIT)).toBe(false);
  expect(problems).toHaveLength(3);
});

test('of a very long text head and tail are kept', () => {
  writer().write({
    type: 'tool',
    tool_id: 'x',
    name: 'cat',
    status: 'running',
    args: { text: `a${'x'.repeat(600_000)}z` },
  });
  const [{ args }] = entries() as [{ args: { text: string } }];
  expect(args.text.length).toBeLessThan(530_000);
  expect(args.text).toMatch(/^ax+\n\[… \d+ characters were not kept …\]\nx+z$/);
});

test('of a session that is very long itself texts are kept in short', () => {
  const dialog = writer();
  dialog.write(INIT);
  const line = `{"seq":1,"ts":"2026-01-01T00:00:00.000Z","type":"thinking","content":"${'y'.repeat(1e6)}"}\n`;
  for (let count = 0; count < 36; count += 1) appendFileSync(path, line);
  dialog.write({
    type: 'tool',
    tool_id: 'x',
    name: 'cat',
    status: 'running',
    args: { text: `a${'x'.repeat(9_000)}z` },
  });
  dialog.write({ type: 'complete', status: 'success' });
  const [tool = '', unfinished, complete] = readFileSync(path, 'utf8').trimEnd().split('\n').slice(37);
  expect(JSON.parse(tool).args.text).toMatch(/^ax{2047}\n\[… 4906 characters were not kept …\]\nx{2047}z$/);
  expect([unfinished, complete]).toEqual([expect.stringContaining('"error"'), expect.stringContaining('"success"')]);
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Script, ScriptedDaemon } from '@ssebench/sdk/testing/scripted-daemon';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url));

let directory: string;
let daemon: ScriptedDaemon | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sse-'));
});
afterEach(async () => {
  await daemon?.close();
  daemon = undefined;
  rmSync(directory, { recursive: true });
});

async function serve(script: Script): Promise<void> {
  daemon = await new ScriptedDaemon(join(directory, 'sse.sock'), script).listen();
}

interface End {
  status: number;
  stdout: string;
  stderr: string;
}

function sse(args: readonly string[], input = '', env: Record<string, string> = {}): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  const all = { SSE_DAEMON_SOCKET: join(directory, 'sse.sock'), SSE_ARCHIVE: directory, ...env };
  const child = execFile(
    process.execPath,
    [PROGRAM, 'sse', ...args],
    { env: all, encoding: 'buffer' },
    (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code) : 0, stdout: stdout.toString('latin1'), stderr: stderr.toString() });
    },
  );
  child.stdin?.end(input);
  return promise;
}

test('the changes come out byte for byte', async () => {
  const bytes = Buffer.from('+\xff\n', 'latin1');
  await serve({ 'GET /diff': { body: { diff: bytes.toString('base64'), encoding: 'base64', bytes: 3 } } });
  expect(await sse(['diff'])).toEqual({ status: 0, stdout: '+\xff\n', stderr: '' });
});

test('what the daemon refuses is told with its code', async () => {
  await serve({ 'GET /files': { code: 'capture_failed', error: 'a tree that can’t be read' } });
  expect(await sse(['diff', '--stat'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'sse: the daemon: a tree that can’t be read (capture_failed)\n',
  });
});

test('the model is told to clients of a protocol, as lines for a shell or as JSON', async () => {
  const run = { SSE_BASE_URL: 'http://litellm:4000', SSE_API_KEY: "sk'1", SSE_MODEL_NAME: 'm' };
  expect((await sse(['model', 'openai'], '', run)).stdout).toBe(
    "export OPENAI_BASE_URL='http://litellm:4000/v1'\nexport OPENAI_API_KEY='sk'\\''1'\nexport OPENAI_MODEL='m'\n",
  );
  expect(JSON.parse((await sse(['model', 'gemini', '--json'], '', run)).stdout)).toMatchObject({ apiKey: "sk'1" });
  expect(await sse(['model', 'openai'])).toMatchObject({ status: 1, stderr: expect.stringContaining('has no model') });
});

test.for([
  ['nothing', ['dialog'], 'sse dialog init --agent NAME'],
  ['a missing option', ['dialog', 'tool-start', '--id', 'x'], '--name is missing'],
  ['an unknown option', ['dialog', 'complete', '--state', 'x'], "Unknown option '--state'"],
  ['a wrong status', ['dialog', 'complete', '--status', 'fine'], 'success, error or timeout'],
  [
    'arguments that are no object',
    ['dialog', 'tool-start', '--id', 'x', '--name', 'y', '--args', '[]'],
    'a JSON object',
  ],
  ['no file to run', ['node'], 'sse node FILE'],
  ['an unknown protocol', ['model', 'soap'], 'anthropic, openai, gemini'],
] as const)('%s is a wrong command line', async ([, args, message]) => {
  expect(await sse(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

test('a session of which the daemon says nothing is recorded all the same', async () => {
  expect(await sse(['dialog', 'init', '--agent', 'a'])).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('the task is not known'),
  });
  const [line = ''] = readFileSync(join(directory, 'dialog.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({ seq: 0, type: 'init', data: { task: '', agent: 'a' } });
});

test('an entry may hold every character that JSON lets stand as it is', async () => {
  const content = 'a\u2028b\u2029c\u0085d';
  const lines = [
    { type: 'prompt', content },
    { type: 'thinking', content },
  ].map((entry) => JSON.stringify(entry));
  expect(await sse(['dialog', 'lines'], lines.join('\r\n'))).toMatchObject({ status: 0, stderr: '' });
  const recorded = readFileSync(join(directory, 'dialog.jsonl'), 'utf8').trimEnd().split('\n');
  expect(recorded.map((line) => JSON.parse(line).content)).toEqual([content, content]);
});

test('broken lines of a session are told with their numbers, and the others are recorded', async () => {
  const lines = ['{"type":"prompt","content":"x"}', '', '{"type":"message","contents":"y"}', 'z'];
  const { status, stderr } = await sse(['dialog', 'lines'], lines.join('\n'));
  expect([status, stderr]).toEqual([0, expect.stringMatching(/contents.*line 3 was not.*line 4 is not JSON/s)]);
  expect(readFileSync(join(directory, 'dialog.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('entries are recorded to the end of the input, also after SIGTERM', async () => {
  const env = { SSE_ARCHIVE: directory };
  const child = execFile(process.execPath, [PROGRAM, 'sse', 'dialog', 'lines'], { env });
  const path = join(directory, 'dialog.jsonl');
  child.stdin?.write('{"type":"message","content":"before"}\n');
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await delay(10);
  child.kill('SIGTERM');
  child.stdin?.end('{"type":"complete","status":"timeout"}\n');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const [first, second] = readFileSync(path, 'utf8').trim().split('\n');
  expect([first, second]).toEqual([expect.stringContaining('before'), expect.stringContaining('timeout')]);
});

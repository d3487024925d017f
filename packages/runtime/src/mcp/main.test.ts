import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Script, ScriptedDaemon } from '@ssebench/sdk/testing/scripted-daemon';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { INTERNAL_FAILURE } from './answer.ts';

const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url));
const OK = { body: { code: 0, stdout: 'out', stderr: 'err' } };
const FAILS = { body: { code: 1, stdout: 'out', stderr: 'err' } };
const GOOD: Script = {
  'GET /project': {
    body: {
      id: 'x',
      project: 'x',
      language: 'c',
      source: '/nowhere',
      task_description: { issue: null, crash_report: null, bug_description: 'x' },
      poc: ['/ssebench/pocs/1', '/ssebench/pocs/2'],
      build_script: null,
      test_script: null,
    },
  },
  'GET /capabilities': {
    body: { can_build: true, can_run_poc: true, poc_count: 2, has_function_test: true, has_intent_test: true },
  },
  'POST /tool/bencher?action=build': { body: { code: 0, stdout: '', stderr: '', build: 'b7' } },
  'POST /tool/bencher?action=run_poc': OK,
  'POST /tool/bencher?action=function_test': OK,
  'POST /tool/bencher?action=intent_test': OK,
};

let directory: string;
let daemon: ScriptedDaemon | undefined;
let server: ChildProcess | undefined;
let log: Promise<string>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcp-'));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  server = undefined;
  await daemon?.close();
  daemon = undefined;
  rmSync(directory, { recursive: true });
});

async function serve(script: Script, level?: string): Promise<number | string> {
  daemon = await new ScriptedDaemon(join(directory, 'sse.sock'), { ...GOOD, ...script }).listen();
  server = spawn(process.execPath, [PROGRAM, 'mcp'], {
    env: {
      SSE_DAEMON_SOCKET: join(directory, 'sse.sock'),
      SSE_MCP_SOCKET: join(directory, 'mcp.sock'),
      MCP_LOG_DIR: join(directory, 'logs'),
      SSE_READY_FD: '3',
      ...(level === undefined ? {} : { SSE_DIFFICULTY: level }),
    },
    stdio: ['ignore', 'inherit', 'pipe', 'pipe'],
  });
  log = server.stderr ? text(server.stderr) : Promise.resolve('');
  const ready = server.stdio[3] ? once(server.stdio[3], 'data').then(() => 'ready') : 'no';
  return await Promise.race([ready, once(server, 'exit').then(([status]) => status)]);
}

interface Message {
  id?: number;
  method?: string;
  result?: { content: { text: string }[]; tools: { name: string; inputSchema: object }[]; serverInfo: object };
  params?: { message: string; progress: number };
}

/** One POST of a client that speaks the revision of 2025-06-18; the messages of its answer. */
async function post(message: object, path = '/mcp', signal?: AbortSignal): Promise<Message[]> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  };
  const call = request({
    socketPath: join(directory, 'mcp.sock'),
    path,
    method: 'POST',
    headers,
    ...(signal ? { signal } : {}),
  });
  call.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
  const [response] = await once(call, 'response');
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`);
  if (body.startsWith('{')) return [JSON.parse(body)];
  return [...body.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
}

const call = (params = {}) => ({ method: 'tools/call', params: { name: 'test_patch', arguments: {}, ...params } });

async function testPatch(): Promise<string | undefined> {
  return (await post(call())).at(-1)?.result?.content[0]?.text;
}

/** The checks that the daemon was asked for, in order. */
const asked = () =>
  daemon?.calls.filter(({ route }) => route.startsWith('POST')).map(({ route, body }) => [route.split('=')[1], body]);

test('a client finds one tool without arguments, and calls it', async () => {
  await serve({}, '0');
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const [begun] = await post({ method: 'initialize', params: initialize });
  expect(begun?.result?.serverInfo).toMatchObject({ name: 'ssebench MCP Server' });
  await expect(post({ method: 'notifications/initialized', id: undefined })).rejects.toThrow('202');
  const [listed] = await post({ method: 'tools/list' });
  expect(listed?.result?.tools).toMatchObject([{ name: 'test_patch', inputSchema: { type: 'object' } }]);
  expect(await testPatch()).toMatch(
    /^test_patch result: every check passed\.\n\nChecks:\n- build: passed\n- PoCs: passed \(2 of 2\)/,
  );
  expect(asked()).toEqual([
    ['build', {}],
    ['run_poc', { poc: '/ssebench/pocs/1', build: 'b7' }],
    ['run_poc', { poc: '/ssebench/pocs/2', build: 'b7' }],
    ['intent_test', {}],
  ]);
  await expect(post(call(), '/')).rejects.toThrow('404');
});

test('PoCs end at the first that triggers; failed intent tests are followed by the functional ones', async () => {
  await serve(
    {
      'POST /tool/bencher?action=run_poc': FAILS,
      'POST /tool/bencher?action=intent_test': { code: 'hidden_tests_do_not_apply', error: 'git apply failed, x' },
    },
    '0',
  );
  const answer = await testPatch();
  expect(answer).toContain(`
- build: passed
- PoCs: FAILED (passed 0 of 2; stopped at the first that still triggers the bug)
- intent tests: FAILED
- functional tests: passed

Full log (PoCs):
out

err`);
  expect(asked()?.map(([action]) => action)).toEqual(['build', 'run_poc', 'intent_test', 'function_test']);
});

test('at level 4 the daemon is not asked', async () => {
  await serve({}, '4');
  expect(await testPatch()).toMatch(/^test_patch result: no checks ran\.\n\nNot available/);
  expect(daemon?.calls).toEqual([]);
});

test('what the task does not have is no failure of ours', async () => {
  const can = { can_build: true, can_run_poc: false, poc_count: 0, has_function_test: false, has_intent_test: false };
  await serve({ 'GET /capabilities': { body: can } }, '0');
  expect(await testPatch()).toBe(`test_patch result: every check passed.

Checks:
- build: passed
- PoCs: passed (the task has none)
- intent tests: not run (the task has none)
- functional tests: not run (the task has none)`);
});

test('what keeps a test from running is an internal failure, with its cause in the log alone', async () => {
  await serve({ 'POST /tool/bencher?action=build': { code: 'script_not_executable', error: 'no such interpreter' } });
  expect(await testPatch()).toBe(INTERNAL_FAILURE);
  server?.kill('SIGTERM');
  expect(await log).toContain(
    'level=ERROR service=mcp msg="test_patch failed" code=script_not_executable error="no such interpreter"',
  );
});

test('progress is told while a check runs', async () => {
  await serve({});
  const messages = await post(call({ _meta: { progressToken: 7 } }));
  expect(messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)).toEqual([
    { progressToken: 7, progress: 1, message: 'build (0 s)' },
    { progressToken: 7, progress: 2, message: 'functional tests (0 s)' },
  ]);
});

test('two calls at once run one after the other; one whose build was replaced begins anew', async () => {
  let pocs = 0;
  const replaced = { code: 'unknown_build', error: 'there is no build b7' } as const;
  await serve({ 'POST /tool/bencher?action=run_poc': () => (pocs++ === 0 ? replaced : OK) }, '1');
  const answers = await Promise.all([testPatch(), testPatch()]);
  expect(answers.map((answer) => answer?.split('\n')[0])).toEqual(
    Array(2).fill('test_patch result: every check that ran passed.'),
  );
  const once = ['build', 'run_poc', 'run_poc', 'function_test'];
  expect(asked()?.map(([action]) => action)).toEqual(['build', 'run_poc', ...once, ...once]);
});

test('a caller that goes away takes its test with it', async () => {
  await serve({ 'POST /tool/bencher?action=build': ['silence', OK] });
  const gone = new AbortController();
  const first = post(call(), '/mcp', gone.signal);
  await expect.poll(() => asked()?.length).toBe(1);
  gone.abort();
  await expect(first).rejects.toThrow();
  expect(await testPatch()).toContain('- build: passed');
});

test('a level that is none keeps the server from starting', async () => {
  expect(await serve({}, '')).toBe(1);
  expect(await log).toContain('SSE_DIFFICULTY must be an integer from 0 to 4, got');
});

test('the log of a long failure is left where the agent can read it', async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
  await serve({ 'POST /tool/bencher?action=build': { body: { code: 2, stdout: long, stderr: '' } } });
  const path = /Full log available at (.+)$/.exec((await testPatch()) ?? '')?.[1] ?? '';
  expect(readFileSync(path, 'utf8')).toBe(`${long}\n\n`);
});

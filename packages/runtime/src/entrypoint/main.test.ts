import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeContainer } from '../testing/container.ts';

const root = process.getuid?.() === 0;
const AGENT_EXITED = 'POST /admin/agent_exited';
const CAPTURE = 'POST /admin/capture';
const BUILD = 'POST /tool/bencher?action=build';
const FUNCTION = 'POST /tool/bencher?action=function_test';
const INTENT = 'POST /tool/bencher?action=intent_test';
const WITH_INTENT = {
  body: { can_build: true, can_run_poc: false, poc_count: 0, has_function_test: true, has_intent_test: true },
};
const FAILED = { body: { code: 1, stdout: 'broken', stderr: '' } };

let container: FakeContainer;

beforeEach(() => {
  container = new FakeContainer();
});

afterEach(() => container.remove());

const work = (...command: string[]) => ['--mode', 'work', '--', ...command];
const same = (...command: string[]) => ['--mode', 'same', '--', ...command];
const GRADE = ['--mode', 'grade', '--'];

describe('a run that can not begin', () => {
  test.for([
    ['no command', ['--mode', 'work', '--'], {}, 'needs a command'],
    ['a limit that is none', ['--mode', 'work', '--', 'true'], { TIMEOUT: '10m' }, 'TIMEOUT must be whole seconds'],
    [
      'outputs that can not be made',
      ['--mode', 'work', '--', 'true'],
      { SSE_RESULTS: '/etc/passwd/results' },
      "the outputs can't be set up",
    ],
  ] as const)('%s: status 1, the reason, and no service', async ([, args, env, message]) => {
    expect(await container.run(args, {}, env)).toBe(1);
    expect(container.log).toContain(message);
    expect(container.log).not.toContain('Service started');
  });

  test('an archive that is a link is refused, and its target keeps its owner', async () => {
    const target = join(container.directory, 'target');
    mkdirSync(target);
    symlinkSync(target, join(container.directory, 'link'));
    const before = statSync(target);
    if (root) expect(await container.run(work('true'), {}, { SSE_ARCHIVE: join(container.directory, 'link') })).toBe(1);
    expect(statSync(target)).toMatchObject({ uid: before.uid, mode: before.mode });
  });
});

describe('mode work', () => {
  test('the phases run in order, and leave the outcome, the archive and the logs', async () => {
    const status = await container.run(
      work('sh', '-c', 'echo "$OF_IMAGE $USER $TIMEOUT"; exit 3'),
      {},
      { TIMEOUT: '60' },
    );
    expect(status).toBe(3);
    expect(container.routes).toEqual(['GET /project', AGENT_EXITED, CAPTURE]);
    expect(container.json('work.json')).toMatchObject({
      agent: { exit_code: 3, timed_out: false },
      capture: { patch_bytes: 3 },
      archive: { status: 'written' },
      fault: null,
    });
    expect(container.text('agent.log')).toBe('1 model 60\n');
    expect(readdirSync(container.results)).toEqual(
      expect.arrayContaining(['agent.log', 'daemon.log', 'evaluator.log', 'mcp.log', 'opencode.log', 'source.tar.gz']),
    );
    const names = execFileSync('tar', ['tzf', join(container.results, 'source.tar.gz')], { encoding: 'utf8' });
    expect(names.split('\n')).toContain('./main.c');
    expect(container.events).toEqual([
      'step_started services',
      'step_ended services',
      'step_started agent',
      'step_ended agent',
      'step_started ending',
      'step_ended ending',
      'step_started capture',
      'captured',
      'step_ended capture',
      'step_started archive',
      'step_ended archive',
      'step_started done',
    ]);
  });

  test("no variable of root's reaches the agent, and none of the agent's image reaches the daemon", async () => {
    await container.run(
      work('env'),
      {},
      { SSE_HOST_SOCKET: '/x/host.sock', SSE_API_KEY: 'sk-run', SSE_DIFFICULTY: '1', SSE_BUDGET_USD: '2.5' },
    );
    const agent = container.text('agent.log');
    expect(agent).toContain('SSE_API_KEY=sk-run\n');
    expect(agent).toContain('SSE_DIFFICULTY=1\n');
    expect(agent).toContain('SSE_BUDGET_USD=2.5\n');
    expect(agent).toContain(`SSE_SOURCE=${container.source}\n`);
    expect(agent).not.toMatch(/SSE_(ADMIN_SOCKET|RESULTS|HOST_SOCKET|AGENT_ENV)/);
    const daemon = container.json('daemon-env.json') ?? {};
    expect(daemon).toMatchObject({
      SSE_HOST_SOCKET: '/x/host.sock',
      SSE_DIFFICULTY: '1',
      SSE_HTTP_PORT: '4263',
      HOME: '/root',
    });
    expect(daemon).not.toHaveProperty('OF_IMAGE');
    expect(daemon).not.toHaveProperty('SSE_API_KEY');
  });

  test('an agent at its limit: told when it is, status 124, and its patch is captured', async () => {
    const told = "trap 'echo $(($(date +%s) - SSE_DEADLINE)) $SSE_AGENT_GRACE; exit' TERM; sleep 30 & wait";
    expect(await container.run(work('sh', '-c', told), {}, { TIMEOUT: '1', SSE_AGENT_GRACE: '7' })).toBe(124);
    expect(container.text('agent.log')).toMatch(/^[012] 7\n$/);
    expect(container.json('work.json')).toMatchObject({
      agent: { exit_code: 124, timed_out: true },
      capture: { patch_bytes: 3 },
      fault: null,
    });
  });

  test('an agent that can not be executed is a fault of its own, and nothing is captured', async () => {
    expect(await container.run(work('/no/such/agent', 'x'))).toBe(1);
    expect(container.json('work.json')).toMatchObject({
      agent: { exit_code: null },
      capture: null,
      fault: { code: 'agent_not_started', blame: 'agent', detail: expect.stringContaining('/no/such/agent') },
    });
    expect(container.routes).toEqual(['GET /project', AGENT_EXITED]);
    expect(container.events).toContain('fault agent_not_started');
  });

  test('a daemon that does not start: its last words, and a fault', async () => {
    expect(await container.run(work('true'), {}, {}, 'fails')).toBe(1);
    expect(container.log).toContain('no baseline');
    expect(container.json('work.json')).toMatchObject({
      fault: { code: 'start_failed', blame: 'infra', detail: expect.stringContaining('status 3') },
    });
  });

  test('a daemon that is never ready is given up at its limit', async () => {
    expect(await container.run(work('true'), {}, { SSE_DAEMON_TIMEOUT: '1' }, 'hangs')).toBe(1);
    expect(container.json('work.json')).toMatchObject({
      fault: { code: 'start_failed', detail: expect.stringContaining('within 1 s') },
    });
  });

  test('a daemon that is lost while the agent works stops it: nothing is captured, and the agent is to blame', async () => {
    const published = { body: { success: true } };
    const start = performance.now();
    expect(await container.run(work('sleep', '30'), { 'POST /admin/events': [published, published, 'die'] })).toBe(1);
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(container.json('work.json')).toMatchObject({
      capture: null,
      fault: { code: 'service_lost', phase: 'agent', blame: 'agent' },
    });
  });

  test.for([
    ['processes_survived', { code: 'processes_survived', error: 'pid 7' }, 'processes_survived'],
    ['a daemon that dies', 'die', 'service_lost'],
  ] as const)('a phase that does not end for certain is not graded: %s', async ([, answer, code]) => {
    expect(await container.run(work('true'), { [AGENT_EXITED]: answer })).toBe(1);
    expect(container.json('work.json')).toMatchObject({ capture: null, fault: { code, blame: 'agent' } });
  });

  test.for([
    [{ code: 'patch_too_large', error: '200 MB' }, 'patch_too_large', 'agent'],
    [{ code: 'baseline_missing', error: 'gone' }, 'baseline_missing', 'agent'],
    [{ code: 'internal', error: 'git: 128' }, 'capture_failed', 'agent'],
    ['die', 'service_lost', 'agent'],
  ] as const)('a capture that fails is a fault: %s → %s', async ([answer, code, blame]) => {
    expect(await container.run(work('true'), { [CAPTURE]: answer })).toBe(1);
    expect(container.json('work.json')).toMatchObject({
      agent: { exit_code: 0 },
      capture: null,
      archive: { status: 'written' },
      fault: { code, phase: 'capture', blame },
    });
  });

  test('the first cause stays: a run that timed out and could not be captured has timed out', async () => {
    expect(
      await container.run(work('sleep', '30'), { [CAPTURE]: { code: 'capture_failed', error: 'x' } }, { TIMEOUT: '1' }),
    ).toBe(124);
    expect(container.json('work.json')).toMatchObject({
      agent: { timed_out: true, exit_code: 124 },
      fault: { code: 'capture_failed' },
    });
  });

  test.for([
    [{ SSE_ARCHIVE_MAX_BYTES: '100' }, 'too_large'],
    [{ SSE_ARCHIVE_TIMEOUT: '1' }, 'timeout'],
  ] as const)('an archive beyond its limits changes nothing else: %o', async ([env, status]) => {
    if (status === 'timeout') writeIncompressible(join(container.source, 'big'), 400);
    writeFileSync(
      join(container.source, 'noise'),
      Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31) % 251)),
    );
    expect(await container.run(work('true'), {}, env)).toBe(0);
    expect(container.json('work.json')).toMatchObject({
      capture: { patch_bytes: 3 },
      archive: { status },
      fault: null,
    });
    expect(readdirSync(container.results).filter((name) => name.includes('source.tar.gz'))).toEqual([]);
  });

  test('a signal stops the agent, and the run is interrupted, not graded', async () => {
    const ended = container.run(work('sleep', '30'));
    await vi.waitFor(() => expect(container.events).toContain('step_started agent'), { timeout: 10_000 });
    const start = performance.now();
    container.signal('SIGTERM');
    expect(await ended).toBe(1);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(container.json('work.json')).toMatchObject({
      capture: null,
      fault: { code: 'interrupted', phase: 'agent', blame: 'user' },
    });
    expect(container.routes).not.toContain(CAPTURE);
  });

  test('kept alive, it waits for a signal after its work, and that is no failure', async () => {
    const ended = container.run(work('false'), {}, { SSE_KEEP_ALIVE: '1' });
    await vi.waitFor(() => expect(container.events).toContain('step_started done'), { timeout: 15_000 });
    container.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(container.json('work.json')).toMatchObject({ agent: { exit_code: 1 }, fault: null });
  });
});

describe('mode grade', () => {
  test('grades what is given: no agent, no listener of the agent, status 0 whatever the grade', async () => {
    const env = { AGENT_DURATION: '12', AGENT_EXIT_STATUS: '124', SSE_METRIC_AGENT_TIMEOUT: 'true' };
    expect(await container.run(GRADE, { [FUNCTION]: FAILED }, env)).toBe(0);
    expect(container.json('result.json')).toEqual({
      patch_result: {
        status: 'failed',
        build_success: true,
        pov_passed: null,
        pov_total: null,
        func_test_success: false,
        intent_test_success: null,
        error_msg: 'Function test failed',
        error_log: 'broken\n',
      },
      runtime_result: { agent_duration: 12, agent_timeout: true, evaluator_timeout: false, agent_exit_code: 124 },
    });
    expect(container.json('checks.json')).toHaveLength(2);
    expect(container.json('grade-fault.json')).toBeUndefined();
    expect(container.json('work.json')).toBeUndefined();
    const daemon = container.json('daemon-env.json');
    expect(daemon).toMatchObject({ SSE_CAPTURE: 'given' });
    expect(daemon).not.toHaveProperty('SSE_DAEMON_SOCKET');
    expect(daemon).not.toHaveProperty('SSE_HTTP_PORT');
    expect(container.text('evaluator.log')).toMatch(
      /^\[evaluator\] Grading Start \(Timeout: \d+s\)\n[\s\S]*\[result\] Patch failed\n\{"patch_result"/,
    );
  });

  test('grading that fails leaves a result and the fault behind it', async () => {
    expect(await container.run(GRADE, { [BUILD]: { code: 'runner_unavailable', error: 'no session' } })).toBe(0);
    expect(container.json('result.json')).toMatchObject({
      patch_result: { status: 'error', error_msg: 'Exception: no session' },
    });
    expect(container.json('grade-fault.json')).toMatchObject({ code: 'runner_unavailable', blame: 'infra' });
    expect(container.events).toContain('fault runner_unavailable');
  });

  test('a daemon that does not start leaves a result too', async () => {
    expect(await container.run(GRADE, {}, {}, 'fails')).toBe(1);
    expect(container.json('result.json')).toMatchObject({ patch_result: { status: 'error' } });
    expect(container.json('grade-fault.json')).toMatchObject({ code: 'start_failed' });
  });

  test('an interrupted grading is an error with the reason', async () => {
    const ended = container.run(GRADE, { [FUNCTION]: 'silence' });
    await vi.waitFor(() => expect(container.routes).toContain(FUNCTION), { timeout: 10_000 });
    container.signal('SIGINT');
    expect(await ended).toBe(1);
    expect(container.json('result.json')).toMatchObject({
      patch_result: { status: 'error', error_msg: 'Exception: stopped by SIGINT' },
    });
    expect(container.json('grade-fault.json')).toMatchObject({ code: 'interrupted', phase: 'grading', blame: 'user' });
  });

  test('an evaluator that is killed leaves the checks that had failed as the grade', async () => {
    const ended = container.run(GRADE, {
      [BUILD]: { body: { code: 0, stdout: '', stderr: '' } },
      [FUNCTION]: FAILED,
      'GET /capabilities': WITH_INTENT,
      [INTENT]: 'silence',
    });
    await vi.waitFor(() => expect(container.routes).toContain(INTENT), { timeout: 10_000 });
    container.killEvaluator();
    expect(await ended).toBe(0);
    expect(container.json('result.json')).toMatchObject({
      patch_result: { status: 'failed', func_test_success: false, intent_test_success: null },
    });
  });
});

describe('mode same', () => {
  test('is both halves: the grade is written before the archive is made', async () => {
    expect(await container.run(same('sh', '-c', 'exit 5'))).toBe(5);
    expect(container.routes.slice(0, 6)).toEqual([
      'GET /project',
      AGENT_EXITED,
      CAPTURE,
      'GET /capabilities',
      'GET /capabilities',
      'POST /prepare_grading',
    ]);
    expect(container.json('result.json')).toMatchObject({
      patch_result: { status: 'passed' },
      runtime_result: { agent_duration: 0, agent_timeout: false, agent_exit_code: 5 },
    });
    expect(container.json('work.json')).toMatchObject({
      agent: { exit_code: 5 },
      capture: { patch_bytes: 3 },
      archive: { status: 'written' },
    });
    const order = container.events.filter((event) => event.startsWith('step_started'));
    expect(order.indexOf('step_started archive')).toBeGreaterThan(order.indexOf('step_started grading'));
  });

  test('a fault of the agent phase is not graded, and a result says so', async () => {
    expect(await container.run(same('true'), { [CAPTURE]: { code: 'capture_failed', error: 'tree is a mess' } })).toBe(
      1,
    );
    expect(container.routes).not.toContain('POST /prepare_grading');
    expect(container.json('result.json')).toMatchObject({
      patch_result: { status: 'error', error_msg: 'Exception: tree is a mess' },
    });
    expect(container.json('work.json')).toMatchObject({ fault: { code: 'capture_failed' } });
  });
});

/** More than any compressor takes in a second. */
function writeIncompressible(path: string, mebibytes: number): void {
  const block = randomBytes(4 * 1024 * 1024);
  for (let written = 0; written < mebibytes; written += 4) appendFileSync(path, block);
}

import { expect, test } from 'vitest';
import { gradeContainer, type RunFrame, workContainer } from './container-spec.ts';
import { UNKNOWN_LIMITS } from './effective-limits.ts';
import { hostPlace } from './results-place.ts';
import { runDirectory } from './run-directory.ts';

const frame: RunFrame = {
  runId: 'trial-1',
  taskId: 'ini-1',
  settings: {
    agent: 'dummy',
    model: 'm-1',
    mode: 'sandbox',
    timeout: 60,
    difficulty: 2,
    tool_layer: 'sandbox',
    egress: 'restricted',
    reference_run: false,
    plugins: [],
    budget: null,
    replay_of: null,
    grading: 'separate',
    check_timeout: 10,
    grading_timeout: 100,
  },
  limits: { ...UNKNOWN_LIMITS, memory_bytes: 1, cpus: 1, pids: 4096 },
  runtimeVolume: 'ssebench-runtime-1',
  resultsPath: '/results/ini-1/m-1/dummy/trial-1',
  ownerSocket: '/tmp/o.sock',
  keepAlive: false,
};
const place = hostPlace(
  runDirectory('/r', { task: 'ini-1', model: 'm-1', agent: 'dummy', runId: 'trial-1' }, '0a0b0c0d'),
  {
    work: '/tmp/s/work',
    grade: '/tmp/s/grade',
  },
);
const hostile = { PATH: '/home/model/bin', NODE_OPTIONS: '--require /home/model/x.js', LD_PRELOAD: '/home/model/x.so' };
const side: Parameters<typeof workContainer>[1] = {
  image: { id: 'sha256:1', cmd: ['a', 'b c'], env: hostile, workdir: '/src/ini' },
  mode: 'work',
  agentGrace: 10,
  snapshotInterval: 30,
  programVolume: undefined,
  mounts: place.mounts('work'),
  network: 'none',
  modelKey: undefined,
};
const work = workContainer(frame, side);
const grade = gradeContainer(frame, {
  image: { id: 'sha256:2', env: hostile },
  mounts: place.mounts('grade'),
  agent: { duration: 3.9, exitCode: 124, timedOut: true },
});

test("an agent's program is mounted where nobody can write it, and only where the agent works", () => {
  const mounted = { type: 'volume', name: 'ssebench-program-1', target: '/opt/agent', readOnly: true };
  expect(workContainer(frame, { ...side, programVolume: 'ssebench-program-1' }).mounts).toContainEqual(mounted);
  expect([work, grade].flatMap(({ mounts = [] }) => mounts.map(({ target }) => target))).not.toContain('/opt/agent');
});

test("what an image sets in the environment reaches the agent and never root's processes", () => {
  for (const spec of [work, grade]) {
    expect(spec.env).toMatchObject({ NODE_OPTIONS: null, LD_PRELOAD: null });
    expect(spec.env?.['PATH']).not.toContain('/home/model');
  }
  expect(JSON.parse(work.env?.['SSE_AGENT_ENV'] ?? '')).toEqual(hostile);
  expect(grade.env).not.toHaveProperty('SSE_AGENT_ENV');
});

test("the agent's command stays an argument list", () => {
  expect(work.cmd).toEqual(['a', 'b c']);
});

test('a container has no network, few capabilities and no way to gain rights', () => {
  for (const spec of [work, grade]) {
    expect(spec).toMatchObject({ network: 'none', noNewPrivileges: true, user: '0:0' });
    expect(spec.capabilities).toEqual(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID', 'KILL']);
  }
});

test('no mount of a container tells the task or the run, and only the archive is at an open path', () => {
  for (const spec of [work, grade]) {
    const binds = (spec.mounts ?? []).filter((mount) => mount.type === 'bind');
    expect(JSON.stringify(binds)).not.toMatch(/ini-1|trial-1/);
    const open = binds.filter(({ target }) => !target.startsWith('/var/lib/ssebench/'));
    expect(open.map(({ target }) => target)).toEqual(spec === work ? ['/tmp/sse-archive'] : []);
  }
});

test('the budget of a run with a model is told, and that of one without is none', () => {
  const paid = workContainer({ ...frame, settings: { ...frame.settings, budget: 2.5 } }, side);
  expect(paid.env).toHaveProperty('SSE_BUDGET_USD', '2.5');
  expect(work.env).not.toHaveProperty('SSE_BUDGET_USD');
});

test('the grade container has no agent-facing listener and is told how the agent ended', () => {
  expect(grade.env).not.toHaveProperty('SSE_DAEMON_SOCKET');
  expect(grade.env).toMatchObject({
    AGENT_DURATION: '3',
    AGENT_EXIT_STATUS: '124',
    SSE_METRIC_AGENT_TIMEOUT: 'true',
    SSE_CAPTURE: 'given',
  });
});

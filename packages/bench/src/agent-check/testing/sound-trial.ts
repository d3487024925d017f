import { type Session, sessionOf } from '../session.ts';
import { SAYS, STARTER_FIX } from '../starter-scenario.ts';
import type { Trial } from '../trial.ts';

export const REPORT = '# Long references\n\nA reference to a long value\nwrites past the buffer.\n';

/** What a tool answered, as the model was told it. */
const RESULTS = ['13: capacity ? FIRST_CAPACITY', '[changed]', 'test_patch result: every check that ran passed.'];

type Line = Record<string, unknown>;

const tool = (id: number, result = RESULTS[id] ?? ''): Line[] => [
  { type: 'tool', tool_id: `t${id}`, name: 'bash', status: 'running' },
  { type: 'tool', tool_id: `t${id}`, name: 'bash', status: 'success', result },
];

/** The lines that a wrapper leaves that misses nothing. */
export const SOUND_LINES: readonly Line[] = [
  { type: 'init', data: { task: 't', cwd: '/src', model: 'm', agent: 'a' } },
  { type: 'prompt', content: `# Task\n\n${REPORT}` },
  { type: 'thinking', content: SAYS.think },
  { type: 'message', content: SAYS.first },
  ...RESULTS.flatMap((_, id) => tool(id)),
  { type: 'message', content: SAYS.last },
  { type: 'complete', status: 'success', turns: 4, duration_ms: 1, total_tokens: { in: 4000, out: 200 } },
];

/** A session of these lines, numbered. */
export function session(lines: readonly Line[]): Session {
  const ts = '2026-01-02T03:04:05.678Z';
  return sessionOf(lines.map((line, seq) => JSON.stringify({ seq, ts, role: 'assistant', ...line })).join('\n'));
}

const request: Trial['requests'][number] = {
  kind: 'step',
  protocol: 'openai-chat',
  tools: [
    { name: 'bash', namespace: undefined, kind: 'function', schema: {} },
    { name: 'sse_test_patch', namespace: undefined, kind: 'function', schema: {} },
  ],
  text: `You are an agent.\n# Task\r\n\r\n${REPORT.replaceAll('\n', '\r\n')}`,
  results: RESULTS,
};

/** A run of an agent whose wrapper misses nothing. */
export const SOUND: Trial = {
  summary: {
    patch_result: {
      status: 'passed',
      build_success: true,
      pov_passed: 2,
      pov_total: 2,
      func_test_success: true,
      intent_test_success: true,
      error_msg: null,
      error_log: null,
    },
    runtime_result: { agent_duration: 5, agent_timeout: false, evaluator_timeout: false, agent_exit_code: 0 },
    outcome: { code: 'graded', fault: null, grade: null },
    // 3200 tokens of input, 800 from a cache, 200 of output.
    spend: 0.01284,
    model: { uncertain: 0, refusals: [] },
  },
  session: session(SOUND_LINES),
  requests: [request, request, request, request],
  skipped: [],
  used: { input: 3200, cacheRead: 800, output: 200 },
  firstRequestMs: 1234,
  limit: 600,
  finalPatch: `+${STARTER_FIX.new.replaceAll('\n', '\n+')}\n`,
};

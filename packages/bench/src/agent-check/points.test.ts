import { fault } from '@ssebench/contracts/faults';
import { expect, test } from 'vitest';
import type { CheckPoint } from './check-point.ts';
import { failurePoints, limitPoints } from './end-points.ts';
import { keylessPoints } from './keyless-points.ts';
import { sessionPoints } from './session-points.ts';
import { REPORT, SOUND, SOUND_LINES, session } from './testing/sound-trial.ts';
import type { Trial } from './trial.ts';
import { neverStarted, startPoint, workPoints } from './work-points.ts';

const MANIFEST = { name: 'a', protocols: ['openai-chat' as const] };

/** What is not `ok`, by point. */
function open(points: readonly CheckPoint[]): Record<string, string> {
  const others = points.filter(({ state }) => state !== 'ok');
  return Object.fromEntries(others.map(({ point, state, found }) => [point, `${state}: ${found}`]));
}
const work = (change: Partial<Trial>, manifest = MANIFEST) =>
  open(workPoints({ ...SOUND, ...change }, manifest, REPORT));
const summary = (change: Partial<Trial['summary']>) => ({ summary: { ...SOUND.summary, ...change } });
const requests = (change: Partial<Trial['requests'][number]>) => ({
  requests: SOUND.requests.map((request) => ({ ...request, ...change })),
});
const runtime = (change: Partial<Trial['summary']['runtime_result']>) =>
  summary({ runtime_result: { ...SOUND.summary.runtime_result, ...change } });

test('a wrapper that misses nothing has nothing to do', () => {
  const points = [...workPoints(SOUND, MANIFEST, REPORT), ...sessionPoints(SOUND, REPORT)];
  expect(open(points)).toEqual({});
  expect(points.every(({ remedy }) => remedy === undefined)).toBe(true);
});

test('of an agent that calls no model only that is told, and how it ended', () => {
  const points = work({ requests: [], firstRequestMs: undefined, ...runtime({ agent_exit_code: 7 }) });
  expect(points).toEqual({
    model: 'missing: the endpoint got no request that it passed on',
    'exit status': 'missing: 7 after work that went well',
  });
});

test.each<[string, Record<string, string>, Partial<Trial>]>([
  [
    'a prompt that is another',
    { prompt: "missing: the model was not sent the task's report" },
    requests({ text: 'Hi.' }),
  ],
  [
    'a prompt that only a side request has',
    {
      prompt: "missing: the model was not sent the task's report",
      test_patch: "missing: the model's call got no answer",
    },
    requests({ kind: 'aside' }),
  ],
  [
    'no shell',
    { shell: 'missing: no tool was offered with which the model could run a command or change a file' },
    { skipped: [0] },
  ],
  [
    'a tool that never answers',
    { test_patch: 'missing: the tool sse_test_patch gave the model no answer' },
    requests({ results: ['timed out'] }),
  ],
  [
    'test_patch as a command alone',
    {
      test_patch:
        'note: "sse test" works in the agent\'s shell, but the model is offered no tool test_patch, and the prompt names none',
    },
    requests({ tools: [] }),
  ],
  ['an edit that is lost', { edit: 'missing: nothing was changed in the source' }, { finalPatch: '' }],
  [
    'a grade that is none',
    { grade: 'missing: error: it went wrong' },
    summary({ patch_result: { ...SOUND.summary.patch_result, status: 'error', error_msg: 'it went wrong' } }),
  ],
  ['an agent that does not end', { 'exit status': 'missing: the agent did not end' }, runtime({ agent_timeout: true })],
  [
    'an answer that was not read to its end',
    { spend: 'missing: 0.010000 USD, and 0.002840 that are not known; the tokens cost 0.012840' },
    summary({ spend: 0.01, model: { uncertain: 0.00284, refusals: [] } }),
  ],
  [
    'what the gateway refused',
    { refused: 'note: tools[].type (web_search), 2 times' },
    summary({
      model: {
        uncertain: 0,
        refusals: [
          { protocol: 'openai-chat', code: 'web_search', field: 'tools[].type', found: 'web_search', count: 2 },
        ],
      },
    }),
  ],
])('%s', (_, expected, change) => {
  expect(work(change)).toEqual(expected);
});

test('a protocol that agent.yaml does not have is told, and what to write there', () => {
  expect(work({}, { name: 'a', protocols: ['anthropic-messages' as never] })).toEqual({
    protocol: 'missing: speaks openai-chat; agent.yaml has anthropic-messages',
  });
  const [, said] = workPoints(SOUND, { name: 'a' }, REPORT);
  expect(said).toMatchObject({ state: 'note', remedy: 'say so in agent.yaml: protocols: [openai-chat]' });
});

const without = (type: string, status?: string) =>
  SOUND_LINES.filter((line) => line['type'] !== type || (status !== undefined && line['status'] !== status));
const instead = (type: string, line: Record<string, unknown>) =>
  SOUND_LINES.map((old) => (old['type'] === type ? { ...old, ...line } : old));

test.each<[string, Record<string, string>, Trial['session']]>([
  ['no session', { session: 'missing: the run has no archive/dialog.jsonl' }, undefined],
  ['no prompt', { 'session: prompt': 'missing: none' }, session(without('prompt'))],
  [
    'another prompt',
    { 'session: prompt': 'missing: not the task' },
    session(instead('prompt', { content: 'Fix it.' })),
  ],
  [
    'no messages',
    { 'session: messages': 'missing: the model said "I look at how the buffer grows.", and it is not there' },
    session(without('message')),
  ],
  ['no thoughts', { 'session: thinking': "note: the model's thoughts are not there" }, session(without('thinking'))],
  ['no tool calls', { 'session: tool calls': 'missing: 0 of 3' }, session(without('tool'))],
  [
    'calls without an end',
    { 'session: tool calls': 'missing: no end of bash, bash, bash' },
    session(without('tool', 'success')),
  ],
  [
    'ends with other names than the starts',
    { 'session: tool calls': 'missing: no start of other' },
    session([
      ...SOUND_LINES.slice(0, -1),
      { type: 'tool', tool_id: 'other', name: 'bash', status: 'success' },
      ...SOUND_LINES.slice(-1),
    ]),
  ],
  [
    'no results',
    { 'session: tool calls': 'missing: no result has "FIRST_CAPACITY", as the model was told' },
    session(instead('tool', { result: '' })),
  ],
  [
    'no tokens',
    { 'session: tokens': 'missing: none' },
    session(instead('complete', { total_tokens: { in: 0, out: 0 } })),
  ],
  [
    'other tokens',
    { 'session: tokens': 'note: 3200 in, 200 out; the model counted 4000 in (800 of them from a cache), 200 out' },
    session(instead('complete', { total_tokens: { in: 3200, out: 200 } })),
  ],
  ['no end', { 'session: tokens': 'missing: none', 'session: end': 'missing: none' }, session(without('complete'))],
  [
    'an end that says otherwise',
    { 'session: end': 'missing: error after work that went well' },
    session(instead('complete', { status: 'error' })),
  ],
])('%s', (_, expected, changed) => {
  expect(open(sessionPoints({ ...SOUND, session: changed }, REPORT))).toEqual(expected);
});

test('a line that is no entry is told with its number', () => {
  const lines = SOUND_LINES.map((line, index) => (index === 3 ? { ...line, content: 3 } : line));
  const points = open(sessionPoints({ ...SOUND, session: session(lines) }, REPORT));
  expect(points['session: lines']).toMatch(/^missing: dialog\.jsonl:4: .*content/);
});

const KILLED = { ...SOUND, ...runtime({ agent_timeout: true, agent_exit_code: 124 }), limit: 20 };
const ended = (status: string) => session(instead('complete', { status }));

test.each<[string, string, Partial<Trial>]>([
  ['ended in order', 'ok: ended after 20 s, its session with all that came before', { session: ended('timeout') }],
  ['another word', 'note: its session ended with error', { session: ended('error') }],
  ['no end', 'missing: its session has no end', { session: session(without('complete')) }],
  [
    'a call left open',
    'missing: no end of bash',
    {
      session: session(
        without('tool', 'success').map((line) => ({
          ...line,
          ...(line['type'] === 'complete' && { status: 'timeout' }),
        })),
      ),
    },
  ],
  ['nothing left', 'missing: nothing is left of its session', { session: undefined }],
  [
    'written in the end only',
    'missing: what came before is not in its session',
    { session: session(without('message')) },
  ],
  ['given up', 'missing: it gave up a command that took long', runtime({ agent_timeout: false })],
  ['too slow', 'missing: 20 s were over before its second request', { requests: SOUND.requests.slice(0, 1) }],
])('at its time limit: %s', (_, expected, change) => {
  const [point] = limitPoints({ ...KILLED, ...change });
  expect(`${point?.state}: ${point?.found}`).toBe(expected);
});

test.each<[string, string, Partial<Trial>]>([
  [
    'passed on',
    'ok: exit status 1, and its session says error',
    { ...runtime({ agent_exit_code: 1 }), session: ended('error') },
  ],
  ['in the session only', 'note: exit status 0; its session says error', { session: ended('error') }],
  ['in the status only', 'note: exit status 1; its session says success', runtime({ agent_exit_code: 1 })],
  ['hidden', 'missing: it said that all went well', {}],
  ['never ending', 'missing: it did not end', runtime({ agent_timeout: true })],
])("a model's failure, %s", (_, expected, change) => {
  const [point] = failurePoints({ ...SOUND, ...change });
  expect(`${point?.state}: ${point?.found}`).toBe(expected);
});

test('an agent without a model needs a grade and an end, no session', () => {
  expect(open(keylessPoints({ ...SOUND, session: undefined }))).toEqual({
    session: 'note: none; without a model there is little to tell',
  });
  const failed = { ...SOUND, ...runtime({ agent_exit_code: 2 }) };
  expect(open(keylessPoints(failed))).toEqual({ 'exit status': 'missing: 2' });
});

test('an agent that never began is told why, with the end of what its build printed', () => {
  const detail = 'the image of the agent "a" could not be built: exit status 1\n#7 RUN false';
  const outcome = { code: 'image_build_failed', fault: { ...fault('internal', detail) }, grade: null };
  const trial = {
    ...SOUND,
    ...summary({ outcome, runtime_result: { ...SOUND.summary.runtime_result, agent_exit_code: null } }),
  };
  expect([neverStarted(trial), neverStarted(SOUND)]).toEqual([true, false]);
  const [found, ...output] = detail.split('\n');
  expect(startPoint(trial)).toMatchObject({ point: 'start', state: 'missing', found });
  expect(startPoint(trial).remedy?.split('\n').slice(1)).toEqual(output);
});

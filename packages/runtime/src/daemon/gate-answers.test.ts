import { ROUTES } from '@ssebench/contracts/daemon-api';
import { BENCHER_ACTIONS, type BencherAction } from '@ssebench/contracts/difficulty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

/** The levels' table, as the seeds have it. */
const RUNS: Record<BencherAction, readonly number[]> = {
  build: [0, 1, 2, 3],
  function_test: [0, 1, 2],
  run_poc: [0, 1],
  intent_test: [0],
};
const LISTENERS = ['agent', 'http'] as const;
const BODY: Partial<Record<BencherAction, object>> = { run_poc: { poc: 'pocs/poc.txt' } };

const refused = (status: number, code: string, error: unknown) => ({ status, json: { code, error } });
const ADMIN_ONLY = refused(403, 'admin_only', 'endpoint is only available on the admin socket');
const GRADING = refused(403, 'grading_is_admin_only', 'grading checks are only available on the admin socket');
const ENDED = refused(403, 'phase_ended', 'tools are unavailable after the agent phase');
const withheld = (action: string) =>
  refused(403, 'action_withheld', `action '${action}' is not available at the current difficulty level`);
const unknownAction = (action: string) => refused(500, 'unknown_action', `invalid action: ${action}`);
const unknownTool = (tool: string) => refused(500, 'unknown_tool', `tool not found: ${tool}`);
const notThere = (path: string) => refused(404, 'not_found', `no such endpoint: POST ${path}`);
const invalid = (status: number, text: string) => refused(status, 'invalid_request', expect.stringContaining(text));
const ran = (code: number) => ({ status: 200, json: expect.objectContaining({ code, outcome: 'exited' }) });

const urlOf = (action: string) => `/tool/bencher?action=${action}`;
const bodyOf = (action: BencherAction, more: object = {}) => ({ ...BODY[action], ...more });

/** What a tree that was built and not repaired gets of a check that runs. */
const OUTCOME: Record<BencherAction, number> = { build: 0, function_test: 0, run_poc: 1, intent_test: 1 };

type Case = readonly [path: string, body: unknown, answer: unknown];

/** Calls of tools at a level, with the answer of each. */
function toolCalls(level: number): Case[] {
  const allowed = (action: BencherAction) => RUNS[action].includes(level);
  const gated = (action: BencherAction, otherwise: unknown) => (allowed(action) ? otherwise : withheld(action));
  return [
    ...BENCHER_ACTIONS.flatMap((action): Case[] => [
      [urlOf(action), bodyOf(action), gated(action, ran(OUTCOME[action]))],
      // Whatever is asked beside it, and whether or not the level has the action.
      [urlOf(action), bodyOf(action, { grading: true }), GRADING],
      [urlOf(action), bodyOf(action, { grading: true, strict: true }), GRADING],
      [urlOf(action), bodyOf(action, { strict: true }), GRADING],
      [urlOf(action), bodyOf(action, { grading: 'true' }), gated(action, invalid(500, 'invalid argument: '))],
      [urlOf(action), 'no json', invalid(400, 'not JSON')],
      // Other spellings of an action are none, and the first of several counts.
      [urlOf(action.toUpperCase()), {}, unknownAction(action.toUpperCase())],
      [urlOf(`${action}%20`), {}, unknownAction(`${action} `)],
      [urlOf(`${action}&action=build`), bodyOf(action), gated(action, ran(OUTCOME[action]))],
      [urlOf(`x&action=${action}`), bodyOf(action), unknownAction('x')],
      // Other spellings of the path are the same endpoint, or none.
      [`/tool/%62encher?action=${action}`, bodyOf(action), gated(action, ran(OUTCOME[action]))],
      [`/tool/bencher/?action=${action}`, bodyOf(action), notThere('/tool/bencher/')],
      [`//tool/bencher?action=${action}`, bodyOf(action), notThere('//tool/bencher')],
      [`/tool/BENCHER?action=${action}`, bodyOf(action), unknownTool('BENCHER')],
    ]),
    ['/tool/bencher', {}, invalid(400, 'action is missing')],
    [urlOf(''), {}, unknownAction('')],
    [urlOf('run_poc'), {}, gated('run_poc', invalid(500, 'invalid argument: '))],
    [
      urlOf('run_poc'),
      { poc: 'other.txt' },
      gated('run_poc', refused(500, 'unknown_poc', expect.stringContaining('other.txt'))),
    ],
    [urlOf('dance'), {}, unknownAction('dance')],
    [urlOf('dance'), { grading: true }, GRADING],
    ['/tool/hammer?action=build', {}, unknownTool('hammer')],
    ['/tool/hammer?action=build', { grading: true }, GRADING],
    // A shell gives the agent nothing that it could not do itself.
    ['/tool/bash?action=execute', { command: 'echo hello' }, ran(0)],
    ['/tool/bash?action=build', { command: 'exit 7' }, ran(7)],
    ['/tool/bash?action=execute', { command: 'true', grading: true }, GRADING],
  ];
}

const ADMIN = ROUTES.filter(({ access }) => access === 'admin' || access === 'admin-and-host');
const READS = ['/version', '/project', '/capabilities', '/diff', '/files', '/agent/dialog', '/result', '/final_diff'];

async function answersOf(daemon: TestDaemon, listener: (typeof LISTENERS)[number], cases: readonly Case[]) {
  const answers: Case[] = [];
  for (const [path, body] of cases) {
    const { status, json } = await daemon[listener](path, body);
    answers.push([path, body, { status, json }]);
  }
  return answers;
}

describe.runIf(IS_ROOT).each([0, 1, 2, 3, 4])('at level %i', (level) => {
  let daemon: TestDaemon;
  const cases = toolCalls(level);
  const adminCases = ADMIN.map(({ method, path }): Case => [path, method === 'POST' ? {} : undefined, ADMIN_ONLY]);
  beforeAll(async () => {
    daemon = await TestDaemon.start({ difficulty: level });
    // What a check runs in was built, whoever may build.
    await daemon.admin(urlOf('build'), {});
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  test.each(LISTENERS)('the %s listener answers every call of a tool as the gate says', async (listener) => {
    expect(await answersOf(daemon, listener, cases)).toEqual(cases);
  });

  test.each(LISTENERS)('the %s listener serves nothing of the admin’s', async (listener) => {
    expect(await answersOf(daemon, listener, adminCases)).toEqual(adminCases);
  });

  test('what may be read is the same on every listener', async () => {
    for (const path of READS) {
      const { status, json } = await daemon.admin(path);
      expect([path, status]).toEqual([path, 200]);
      for (const listener of LISTENERS) expect(await daemon[listener](path)).toMatchObject({ status, json });
    }
  });

  test('the admin may ask for every check', async () => {
    for (const action of BENCHER_ACTIONS) {
      const { status, json } = await daemon.admin(urlOf(action), bodyOf(action));
      expect({ status, json }).toEqual(ran(OUTCOME[action]));
    }
  });

  test('when the phase has ended, every tool says so, whatever is asked', async () => {
    await daemon.admin('/admin/agent_exited', {});
    const over = cases.map(([path, body, answer]): Case => {
      const isTool = !(typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 404);
      return [path, body, isTool ? ENDED : answer];
    });
    for (const listener of LISTENERS) {
      expect(await answersOf(daemon, listener, over)).toEqual(over);
      expect(await answersOf(daemon, listener, adminCases)).toEqual(adminCases);
      for (const path of READS) expect([path, (await daemon[listener](path)).status]).toEqual([path, 200]);
    }
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DialogEntry } from '@ssebench/contracts/dialog';
import { scriptedCost, scriptedModelsFile } from '@ssebench/gateway/scripted/models-file';
import { DEFAULT_USAGE, type Step } from '@ssebench/gateway/scripted/scenario';
import { type ScriptedModel, startScriptedModel } from '@ssebench/gateway/scripted/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { everything } from './support/hostile.ts';
import { PLIABLE_DATASET } from './support/live-run.ts';
import { type FinishedRun, scriptAgent, Workspace } from './support/workspace.ts';

const PLIABLE = join(PLIABLE_DATASET, 'pliable-c');
const FIX: Step = { do: 'run', command: 'echo fixed > fix.txt' };
/** Of one answer. */
const COST = scriptedCost(DEFAULT_USAGE);
const LARGE = 2 * 1024 * 1024;

/** Breaks the tests, and asks its model until that fails. */
const ASK = `
import { writeFileSync } from 'node:fs';
const { SSE_BASE_URL: url, SSE_API_KEY: key, SSE_MODEL_NAME: model } = process.env;
writeFileSync('do-test', 'exit 1');
const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = [{ type: 'function', function: { name: 'bash', parameters } }];
for (;;) {
  const answer = await fetch(url + '/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + key },
    body: JSON.stringify({ model, tools, messages: [{ role: 'user', content: 'What next?' }] }),
  });
  await answer.text();
  if (!answer.ok) process.exit(3);
}
`;

let model: ScriptedModel;
let workspace: Workspace;
beforeAll(async () => {
  model = await startScriptedModel({ steps: [] });
  const file = scriptedModelsFile(model.url);
  workspace = await Workspace.create(
    {
      brittle: {
        dockerfile:
          'FROM ssebench-agent\nCOPY ask.mjs /usr/local/lib/\n' +
          'CMD ["/opt/ssebench/bin/node", "/usr/local/lib/ask.mjs"]\n',
        usesModel: true,
        files: { 'ask.mjs': ASK },
      },
      crash: scriptAgent('echo fixed > fix.txt; exit 1'),
      segfault: scriptAgent('echo fixed > fix.txt; kill -SEGV $$'),
      talkative: scriptAgent(
        `echo fixed > fix.txt; sse dialog init --agent talkative
         head -c ${LARGE} /dev/zero | tr '\\0' x | sse dialog message; sse dialog complete --status success`,
      ),
      scribbler: scriptAgent(
        `echo fixed > fix.txt; cd "$SSE_ARCHIVE"
         printf 'no json\\n{"seq":"x"}\\n{"torn":' > dialog.jsonl
         printf '%s\\n' '{"type":"message","content":"kept"}' '{"type":"message"}' 'no json' | sse dialog lines
         sse dialog complete --status success`,
      ),
    },
    { file },
  );
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function runMini(steps: readonly Step[], ...options: string[]): Promise<FinishedRun> {
  model.play({ steps });
  return workspace.runOn(PLIABLE, 'mini', '--model', 'scripted-openai', ...options);
}

type Entry = z.infer<typeof DialogEntry>;

async function dialogOf({ directory }: FinishedRun): Promise<Entry[]> {
  const text = await readFile(join(directory, 'archive/dialog.jsonl'), 'utf8');
  return text.split('\n').flatMap((line) => (/^\{"seq":\d/.test(line) ? [JSON.parse(line)] : []));
}

async function expectFixGraded({ directory, summary }: FinishedRun): Promise<void> {
  expect(summary).toMatchObject({ patch_result: { status: 'passed' }, outcome: { code: 'graded', fault: null } });
  expect(await readFile(join(directory, 'final.patch'), 'utf8')).toContain('+fixed\n');
}

describe('an agent and its model', () => {
  test('that never call the tool are graded on what they did', async () => {
    const run = await runMini([FIX, { do: 'run', command: 'sse limits' }, { do: 'finish' }]);
    await expectFixGraded(run);
    const dialog = await dialogOf(run);
    expect(JSON.stringify(dialog)).not.toContain('test_patch result');
    expect(run.summary.spend).toBeCloseTo(3 * COST, 9);
    // What it was told of time and money in the middle, when its latest call may have been settled or not.
    const limits = dialog.flatMap((entry) =>
      entry.type === 'tool' ? [/\{.*"left_usd".*\}/s.exec(entry.result ?? '')] : [],
    );
    const told = JSON.parse(limits.find((found) => found)?.[0] ?? '');
    expect(told).toMatchObject({ budget_usd: 10, seconds_left: expect.any(Number) });
    expect([1, 2]).toContain(Math.round(told.spent_usd / COST));
    expect(told.left_usd).toBeLessThanOrEqual(10 - told.spent_usd);
  });

  test('of which the model hangs are ended at the limit and graded, and the call counts as no spend', async () => {
    const run = await runMini([FIX, { do: 'hang', times: 9 }], '--timeout', '8');
    await expectFixGraded(run);
    expect(run.summary.runtime_result).toMatchObject({ agent_timeout: true, agent_exit_code: 124 });
    expect(run.summary.spend).toBeCloseTo(COST, 9);
    expect(run.summary.model).toMatchObject({ answered: 1, last_failure: null });
    expect(run.summary.model?.uncertain).toBeGreaterThan(0);
    expect((await dialogOf(run)).at(-1)).toMatchObject({ type: 'complete', status: 'timeout' });
  });

  test.runIf(everything)(
    'whose provider fails for good have solved the task all the same when the patch passes',
    async () => {
      const run = await runMini([FIX, { do: 'fail', status: 500, times: 1000 }]);
      await expectFixGraded(run);
      expect(run.summary.model).toMatchObject({ last_failure: expect.stringContaining('500') });
      expect(run.summary.runtime_result.agent_exit_code).not.toBe(0);
    },
  );

  test.runIf(everything)(
    'whose budget runs out in the middle are graded on what the money was enough for',
    async () => {
      const more: Step[] = Array.from({ length: 20 }, (_, index) => ({
        do: 'run',
        command: `echo ${index} > more.txt`,
      }));
      const run = await runMini([FIX, ...more], '--budget', '0.03');
      await expectFixGraded(run);
      const { spend, model: used } = run.summary;
      expect(used).toMatchObject({ budget: 0.03, budget_exhausted: true, answered: model.answers });
      expect(model.answers).toBeGreaterThan(1);
      expect(model.answers).toBeLessThan(20);
      expect(spend).toBeCloseTo(model.answers * COST, 9);
      expect(spend).toBeLessThanOrEqual(0.03);
      expect((await dialogOf(run)).at(-1)).toMatchObject({ type: 'complete', status: 'error' });
    },
  );
});

test('an agent that dies of its provider ends in an error of the model, with the grade beside it', async () => {
  model.play({ steps: [FIX, { do: 'fail', status: 500, times: 1000 }] });
  const { summary } = await workspace.runOn(PLIABLE, 'brittle', '--model', 'scripted-openai');
  expect(summary).toMatchObject({
    patch_result: { status: 'error', func_test_success: false, error_msg: expect.stringContaining('500') },
    runtime_result: { agent_exit_code: 3 },
    outcome: {
      code: 'model_failed',
      fault: { blame: 'model', retryable: true },
      grade: { status: 'failed', error_msg: 'Function test failed' },
    },
    model: { answered: 1, last_failure: expect.stringContaining('500') },
  });
  expect(summary.spend).toBeCloseTo(COST, 9);
});

test.each([['segfault', 128 + 11], ...(everything ? [['crash', 1] as const] : [])] as const)(
  'an agent that crashes is graded, and how it ended is recorded: %s',
  async (agent, status) => {
    const run = await workspace.runOn(PLIABLE, agent, '--model', 'scripted-openai');
    await expectFixGraded(run);
    expect(run.summary.runtime_result).toMatchObject({ agent_exit_code: status, agent_timeout: false });
  },
);

test('broken lines of a session are told where they stand, and change nothing of the run', async () => {
  const run = await workspace.runOn(PLIABLE, 'scribbler', '--model', 'scripted-openai');
  await expectFixGraded(run);
  expect(await readFile(join(run.directory, 'agent.log'), 'utf8')).toMatch(
    /content.*\n.*line 2 was not recorded\n.*line 3 is not JSON/s,
  );
  expect(await dialogOf(run)).toMatchObject([
    { type: 'message', content: 'kept' },
    { type: 'complete', status: 'success' },
  ]);
});

test.runIf(everything)('of an entry that is too long both ends are kept, and what is missing is said', async () => {
  const run = await workspace.runOn(PLIABLE, 'talkative', '--model', 'scripted-openai');
  await expectFixGraded(run);
  const message = (await dialogOf(run)).find((entry) => entry.type === 'message');
  const kept = 512 * 1024;
  expect(message).toMatchObject({ content: expect.stringMatching(/^x+\n\[… \d+ characters were not kept …\]\nx+$/) });
  expect(message).toMatchObject({ content: expect.stringContaining(`… ${LARGE - kept} characters`) });
});

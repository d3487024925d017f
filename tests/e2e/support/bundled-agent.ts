import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SAYS, STARTER_FIX, STARTER_SCENARIO, STARTER_TASK } from '@ssebench/bench/agent-check/starter-scenario';
import { DialogEntry } from '@ssebench/contracts/dialog';
import { scriptedCost, scriptedModelsFile } from '@ssebench/gateway/scripted/models-file';
import type { Scenario } from '@ssebench/gateway/scripted/scenario';
import { type ScriptedModel, startScriptedModel } from '@ssebench/gateway/scripted/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { CHECKOUT } from './command.ts';
import { everything } from './hostile.ts';
import { type FinishedRun, Workspace } from './workspace.ts';

/** A bundled agent as its program behaves. */
export interface BundledAgent {
  agent: string;
  /** Of those of the scripted model; the first is the one of the default selection. */
  models: readonly [string, ...string[]];
  /** What its program calls its tools. */
  tools: { shell: string; read: string; edit: string; testPatch: string };
  /** Requests that it makes beside the conversation. */
  asides?: number;
  /** What an answer cost is known when its tools have ended: a message before them, and an answer that is stopped, have no tokens. */
  tokensComeLate?: boolean;
  /** In which it has begun to work, whatever else the machine does; seconds. */
  startLimit?: number;
}

type Entry = z.infer<typeof DialogEntry>;

const ONE_ANSWER = { in: 1000, out: 50 };
const TWO_ANSWERS = { in: 2000, out: 100 };

const STARTER = join(CHECKOUT, 'datasets/starter', STARTER_TASK);
const DISCLOSED = join(CHECKOUT, 'datasets/disclosed/libcue-CVE-2023-43641');

const DISCLOSED_SCENARIO: Scenario = {
  steps: [
    { do: 'read', path: '/src/libcue/cd.c', think: SAYS.think, say: SAYS.first },
    { do: 'edit', path: '/src/libcue/cd.c', old: '\tif (i > MAXINDEX) {', new: '\tif (i < 0 || i > MAXINDEX) {' },
    { do: 'test_patch' },
    { do: 'finish', say: SAYS.last },
  ],
};

/** Edits, and then waits for something that never comes. */
const ENDLESS_SCENARIO: Scenario = {
  steps: [
    { ...STARTER_FIX, think: SAYS.think, say: SAYS.first },
    { do: 'run', command: 'tail -f /dev/null' },
  ],
};

/** Tests that hold for every bundled agent, with the real program: registers them in the file that calls this. */
export function testBundledAgent({
  agent,
  models,
  tools,
  asides = 0,
  tokensComeLate = false,
  startLimit = 40,
}: BundledAgent): void {
  let model: ScriptedModel;
  let workspace: Workspace;
  beforeAll(async () => {
    model = await startScriptedModel(STARTER_SCENARIO);
    workspace = await Workspace.create({}, { file: scriptedModelsFile(model.url) });
  });
  afterAll(async () => {
    await workspace[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  async function play(scenario: Scenario, task: string, name: string, ...options: string[]): Promise<FinishedRun> {
    model.play(scenario);
    return workspace.runOn(task, agent, '--model', name, ...options);
  }

  function expectRepaired({ summary }: FinishedRun, { steps }: Scenario): void {
    const calls = steps.length + asides;
    expect(summary).toMatchObject({
      patch_result: { status: 'passed' },
      runtime_result: { agent_exit_code: 0, agent_timeout: false },
      outcome: { code: 'graded', fault: null },
      model: { calls, answered: calls, failed: 0, uncertain: 0, refusals: [] },
    });
    expect(summary.spend).toBeCloseTo(scriptedCost(model.used), 9);
    expect([model.ended, model.skipped]).toEqual([true, []]);
    expect(model.conversation.at(-1)?.results.at(-1)).toContain('test_patch result: every check that ran passed');
  }

  const { shell, read, edit, testPatch } = tools;

  test.each(everything ? models : models.slice(0, 1))(
    `${agent} repairs a task with %s, tests it, and leaves its whole session`,
    async (name) => {
      const run = await play(STARTER_SCENARIO, STARTER, name);
      expectRepaired(run, STARTER_SCENARIO);
      const dialog = await dialogOf(run);
      expect(dialog[0]).toMatchObject({ type: 'init', data: { task: STARTER_TASK, agent, model: name } });
      expect(model.conversation[0]?.text).toContain(dialog[1]?.type === 'prompt' ? dialog[1].content : 'no prompt');
      expect(dialog.filter((entry) => entry.type !== 'tool').slice(2)).toMatchObject([
        { type: 'thinking', content: SAYS.think },
        { type: 'message', content: SAYS.first, ...(tokensComeLate ? {} : { tokens: { in: 1000, out: 50 } }) },
        { type: 'message', content: SAYS.last, tokens: { in: 1000, out: 50 } },
        { type: 'complete', status: 'success', turns: 5 },
      ]);
      expect(toolsOf(dialog)).toMatchObject([
        [shell, expect.stringContaining('size_t capacity')],
        [read, expect.stringContaining('FIRST_CAPACITY : capacity * 2')],
        [edit, expect.any(String)],
        [testPatch, expect.stringContaining('test_patch result: every check that ran passed')],
      ]);
      const calls = STARTER_SCENARIO.steps.length + asides;
      expect(dialog.at(-1)).toMatchObject({ total_tokens: { in: 1000 * calls, out: 50 * calls } });
    },
  );

  test(`${agent} is graded on its work when its time is up, and its session is complete`, async () => {
    const run = await play(ENDLESS_SCENARIO, STARTER, models[0], '--timeout', `${startLimit}`);
    expect(run.summary).toMatchObject({
      patch_result: { status: 'passed' },
      runtime_result: { agent_timeout: true },
      outcome: { code: 'graded', fault: null },
    });
    expect(run.summary.spend).toBeCloseTo(scriptedCost(model.used), 9);
    const dialog = await dialogOf(run);
    expect(dialog.filter((entry) => entry.type !== 'tool').slice(2)).toMatchObject([
      { type: 'thinking', content: SAYS.think },
      { type: 'message', content: SAYS.first },
      { type: 'complete', status: 'timeout', turns: 2, total_tokens: tokensComeLate ? ONE_ANSWER : TWO_ANSWERS },
    ]);
    expect(dialog.filter((entry) => entry.type === 'tool').map(({ name, status }) => [name, status])).toEqual([
      [edit, 'running'],
      [edit, 'success'],
      [shell, 'running'],
      [shell, 'error'],
    ]);
  });

  test.runIf(everything)(`${agent} repairs a vulnerability of a real project`, async () => {
    expectRepaired(await play(DISCLOSED_SCENARIO, DISCLOSED, models[0]), DISCLOSED_SCENARIO);
  });
}

async function dialogOf({ directory }: FinishedRun): Promise<Entry[]> {
  const lines = (await readFile(join(directory, 'archive/dialog.jsonl'), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => DialogEntry.parse(JSON.parse(line)));
}

/** Every tool with what came of it. */
function toolsOf(dialog: readonly Entry[]): [name: string, said: string | undefined][] {
  return dialog.flatMap((entry) =>
    entry.type === 'tool' && entry.status !== 'running' ? [[entry.name, entry.result ?? entry.error] as const] : [],
  ) as [string, string | undefined][];
}

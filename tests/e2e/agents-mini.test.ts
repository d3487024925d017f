import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SAYS, STARTER_SCENARIO, STARTER_TASK } from '@ssebench/bench/agent-check/starter-scenario';
import { scriptedCost, scriptedModelsFile } from '@ssebench/gateway/scripted/models-file';
import { type ScriptedModel, startScriptedModel } from '@ssebench/gateway/scripted/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { everything } from './support/hostile.ts';
import { Workspace } from './support/workspace.ts';

const TASK = join(CHECKOUT, 'datasets/starter', STARTER_TASK);

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

/** Of each of the protocols that the gateway translates. */
const MODELS = ['scripted-openai', 'scripted-anthropic', 'scripted-compatible'] as const;

test.each(everything ? MODELS : MODELS.slice(0, 1))(
  'mini repairs a task with %s, tests it, and leaves its whole session',
  async (name) => {
    model.play(STARTER_SCENARIO);
    const { directory, summary } = await workspace.runOn(TASK, 'mini', '--model', name);
    expect(summary).toMatchObject({
      patch_result: { status: 'passed' },
      runtime_result: { agent_exit_code: 0, agent_timeout: false },
      outcome: { code: 'graded', fault: null },
      model: { calls: 5, answered: 5, failed: 0, uncertain: 0, refusals: [] },
    });
    expect(summary.spend).toBeCloseTo(scriptedCost(model.used), 9);
    expect(model.ended).toBe(true);
    expect(model.conversation.at(-1)?.results.at(-1)).toContain('test_patch result: every check that ran passed');
    const lines = (await readFile(join(directory, 'archive/dialog.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'init', data: { task: STARTER_TASK, agent: 'mini', model: name } },
      { type: 'prompt', content: expect.stringContaining('# Task') },
      { type: 'thinking', content: SAYS.think },
      { type: 'message', content: SAYS.first, tokens: { in: 1000, out: 50 } },
      { type: 'tool', name: 'bash', status: 'running' },
      { type: 'tool', status: 'success', result: expect.stringContaining('size_t capacity') },
      { type: 'message' },
      { type: 'tool', name: 'bash', status: 'running' },
      { type: 'tool', status: 'success', result: expect.stringContaining('FIRST_CAPACITY : capacity * 2') },
      { type: 'message' },
      { type: 'tool', name: 'bash', status: 'running' },
      { type: 'tool', status: 'success' },
      { type: 'message' },
      { type: 'tool', name: 'test_patch', status: 'running' },
      { type: 'tool', status: 'success', result: expect.stringContaining('test_patch result') },
      { type: 'message', content: SAYS.last },
      { type: 'complete', status: 'success', turns: 5, total_tokens: { in: 5000, out: 250 } },
    ]);
  },
);

import { readFile } from 'node:fs/promises';
import { LiteLlmStub, MASTER_KEY } from '@ssebench/bench/gateway/testing/litellm-stub';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LiveRun } from './support/live-run.ts';
import { Workspace } from './support/workspace.ts';

/** `./test` runs some of these, `./test --all` every one. */
const everything = process.env['SSEBENCH_TEST_ALL'] === '1';

const MODEL = 'claude-sonnet-4-6';
const CALL = 0.25;

let litellm: LiteLlmStub;
let workspace: Workspace;
beforeAll(async () => {
  litellm = await LiteLlmStub.start({ models: [MODEL], callCost: CALL, bookingMs: 2000 });
  const agent = await readFile(new URL('./support/model-agent/agent.mjs', import.meta.url), 'utf8');
  const dockerfile =
    'FROM ssebench-agent\nCOPY agent.mjs /usr/local/lib/agent.mjs\n' +
    'CMD ["/opt/ssebench/bin/node", "/usr/local/lib/agent.mjs", "openai-chat", "3"]\n';
  workspace = await Workspace.create(
    { caller: { dockerfile, usesModel: true, files: { 'agent.mjs': agent } } },
    {
      file: `- model_name: ${MODEL}\n  litellm_params: { model: openai/stub, api_base: "http://localhost:1/v1" }\n`,
      variables: { LITELLM_BASE_URL: litellm.url, LITELLM_MASTER_KEY: MASTER_KEY },
    },
  );
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await litellm[Symbol.asyncDispose]();
});
beforeEach(() => {
  litellm.beforeCall = () => undefined;
});

const used = { gateway: 'litellm', budget: 10, spend: 3 * CALL, calls: 3, answered: 3, failed: 0, last_failure: null };

test('a run over LiteLLM has a user of its own there, is charged what that spent, and leaves nothing behind', async () => {
  const { summary } = await workspace.runOnNoop('caller');
  expect(summary.outcome).toMatchObject({ code: 'graded', fault: null });
  expect(summary).toMatchObject({ spend: 3 * CALL, model: used });
  expect(litellm.requests.find(([call]) => call === 'POST /user/new')).toMatchObject([
    'POST /user/new',
    { models: [MODEL], max_budget: 10 },
  ]);
  expect(litellm.users.size).toBe(0);
  expect(await workspace.filesWith(MASTER_KEY)).toEqual([]);
});

test.runIf(everything)(
  'a command that is killed does not cut its agent off, and the next one reads the spend',
  async () => {
    const killed = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    litellm.beforeCall = (count) => {
      if (count % 3 !== 2) return;
      second.resolve();
      return killed.promise;
    };
    await using run = await LiveRun.start(workspace, 'caller');
    await second.promise;
    await run.killCommand();
    killed.resolve();
    const { status, stderr } = await workspace.run('runs', 'recover', run.runId);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const summary = await run.summary();
    expect(summary.outcome).toMatchObject({ code: 'graded', fault: null });
    expect(summary).toMatchObject({ spend: 3 * CALL, model: used });
    expect(litellm.users.size).toBe(0);
  },
);

test('a run without its LiteLLM is an error that says what to do', async () => {
  const gone = await LiteLlmStub.start();
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const { summary } = await workspace.withVariables({ LITELLM_BASE_URL: url }).runOnNoop('caller');
  expect(summary.outcome).toMatchObject({ code: 'gateway_failed' });
  expect(summary.patch_result.error_msg).toContain(`LiteLLM at ${url} does not answer (ECONNREFUSED)`);
});

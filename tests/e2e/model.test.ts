import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Provider, USAGE } from './support/provider.ts';
import { type TestAgent, Workspace } from './support/workspace.ts';

const PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini'] as const;
const SECRET = 'a-provider-key-that-nobody-may-see';
/** US dollars a token. */
const PRICE = { input: 3e-6, cached: 3e-7, output: 1.5e-5 };
const CALL = (USAGE.input - USAGE.cached) * PRICE.input + USAGE.cached * PRICE.cached + USAGE.output * PRICE.output;

const caller = (protocol: string, times = 3): TestAgent => ({
  dockerfile:
    'FROM ssebench-agent\nCOPY agent.mjs /usr/local/lib/agent.mjs\n' +
    `CMD ["/opt/ssebench/bin/node", "/usr/local/lib/agent.mjs", "${protocol}", "${times}"]\n`,
  usesModel: true,
  files: { 'agent.mjs': AGENT },
});
const AGENT = await readFile(new URL('./support/model-agent/agent.mjs', import.meta.url), 'utf8');

let provider: Provider;
let workspace: Workspace;
beforeAll(async () => {
  provider = await Provider.start();
  const agents = Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, caller(protocol)]));
  workspace = await Workspace.create(
    { ...agents, silent: { dockerfile: 'FROM ssebench-agent\nCMD ["/bin/false"]\n', usesModel: true } },
    { file: modelsFile(provider.url), variables: { STUB_KEY: SECRET } },
  );
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.before = () => undefined;
  provider.calls = 0;
});

function modelsFile(url: string): string {
  const entries = { anthropic: url, openai: `${url}/v1`, gemini: url };
  return Object.entries(entries)
    .map(
      ([name, base]) => `- model_name: ${name}
  litellm_params: { model: ${name}/stub-1, api_key: os.environ/STUB_KEY, api_base: "${base}" }
  model_info:
    input_cost_per_token: ${PRICE.input}
    cache_read_input_token_cost: ${PRICE.cached}
    output_cost_per_token: ${PRICE.output}
    ${name === 'openai' ? 'protocols: [openai-chat, openai-responses]' : 'max_output_tokens: 4096'}
`,
    )
    .join('');
}

const modelOf = (protocol: string) => protocol.replace(/-.*/, '');
const runWith = (agent: string, ...options: string[]) =>
  workspace.runOnNoop(agent, '--model', modelOf(agent), ...options);

test.each(PROTOCOLS)('three calls through %s are spent to the cent', async (protocol) => {
  const { directory, summary } = await runWith(protocol);
  expect(summary.outcome).toMatchObject({ code: 'graded', fault: null });
  expect(summary.spend).toBeCloseTo(3 * CALL, 9);
  expect(summary.model).toMatchObject({
    gateway: 'embedded',
    budget: 10,
    uncertain: 0,
    calls: 3,
    answered: 3,
    failed: 0,
    tokens: {
      input: 3 * (USAGE.input - USAGE.cached),
      cache_read: 3 * USAGE.cached,
      output: 3 * USAGE.output,
    },
    budget_exhausted: false,
    last_failure: null,
  });
  expect(await readFile(join(directory, 'final.patch'), 'utf8')).toContain('+In the parser.');
  expect(provider.keys.every((key) => key.includes(SECRET))).toBe(true);
});

test('a gateway that is killed comes back in the middle of a run, and the books are right', async () => {
  provider.before = async (count) => {
    if (count === 2) process.kill((await workspace.gatewayStatus()).pid, 'SIGKILL');
  };
  const { summary } = await runWith('anthropic-messages');
  expect(summary.outcome.code).toBe('graded');
  // The provider may have been paid for the call that was cut off: known as an upper bound, and never told as spend.
  expect(summary.model).toMatchObject({ calls: 4, answered: 3 });
  expect(summary.spend).toBeCloseTo(3 * CALL, 9);
  expect(summary.model?.uncertain).toBeGreaterThan(CALL / 2);
});

test('where no socket can be mounted, the calls go through the engine', async () => {
  const { summary } = await workspace
    .withVariables({ SSEBENCH_HOST_MOUNTS: 'off' })
    .runOnNoop('openai-chat', '--model', 'openai');
  expect(summary.outcome).toMatchObject({ code: 'graded', fault: null });
  expect(summary.model).toMatchObject({ calls: 3, answered: 3 });
  expect(summary.spend).toBeCloseTo(3 * CALL, 9);
});

test('a budget that runs out ends no run: it is graded on what was left', async () => {
  const { summary } = await runWith('openai-chat', '--budget', '0.006');
  expect(summary.model).toMatchObject({ budget: 0.006, budget_exhausted: true });
  expect(summary.spend).toBeLessThanOrEqual(0.006);
  expect(summary.outcome.code).toBe('graded');
});

test('a provider that fails for good is a fault of the model, with the grade beside it', async () => {
  provider.before = (count, response) => {
    if (count > 1)
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"message":"no more"}}');
  };
  const { summary } = await runWith('openai-responses');
  expect(summary).toMatchObject({
    patch_result: { status: 'passed' },
    outcome: { code: 'graded' },
    model: { answered: 1, failed: 1, last_failure: expect.stringContaining('no more') },
  });
});

test('a model that never answers leaves no grade', async () => {
  provider.before = (_, response) => void response.writeHead(401).end('{"error":{"message":"who are you?"}}');
  const { summary } = await runWith('gemini');
  expect(summary).toMatchObject({
    patch_result: { status: 'error', build_success: true },
    outcome: { code: 'model_unanswered', fault: { blame: 'model', retryable: true }, grade: { status: 'passed' } },
    spend: 0,
  });
});

test('an agent that gives up before its first call leaves none either', async () => {
  const { summary } = await workspace.runOnNoop('silent', '--model', 'anthropic');
  expect(summary).toMatchObject({
    patch_result: { status: 'error', error_msg: 'the agent exited with status 1 and the model answered no call' },
    outcome: { code: 'model_unanswered' },
  });
});

test("nothing of a provider's key is on disk or in what a run leaves", async () => {
  const found = await workspace.filesWith(SECRET);
  expect(found).toEqual([]);
});

import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readExchanges } from '@ssebench/gateway/testing/read-exchanges';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LiveRun } from './support/live-run.ts';
import { Provider, USAGE } from './support/provider.ts';
import { type FinishedRun, runDirectory, summaryIn, type TestAgent, Workspace } from './support/workspace.ts';

const SECRET = 'a-provider-key-that-nobody-may-see';
const CALL = 3e-6 * USAGE.input + 1.5e-5 * USAGE.output;
const FILE = 'model-calls.jsonl.zst';

/** Tells its model all that it knows, its key included, and the time; then says a word of its own. */
const TALKER = `
import { writeFileSync } from 'node:fs';
const { SSE_BASE_URL, SSE_API_KEY, SSE_MODEL_NAME } = process.env;
const said = [];
for (const text of ['first', 'WORD', 'third']) {
  const content = text + ' ' + new Date().toISOString() + ' ' + JSON.stringify(process.env) + said.join();
  const answer = await fetch(SSE_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': SSE_API_KEY, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: SSE_MODEL_NAME, max_tokens: 100, messages: [{ role: 'user', content }] }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  said.push((await answer.json()).content[0].text);
}
writeFileSync('fix.txt', said.join('\\n'));
`;

const talker = (word: string): TestAgent => ({
  dockerfile:
    'FROM ssebench-agent\nCOPY agent.mjs /usr/local/lib/agent.mjs\n' +
    'CMD ["/opt/ssebench/bin/node", "/usr/local/lib/agent.mjs"]\n',
  usesModel: true,
  files: { 'agent.mjs': TALKER.replace('WORD', word) },
});

let provider: Provider;
let workspace: Workspace;
let recorded: FinishedRun;
beforeAll(async () => {
  provider = await Provider.start();
  const file = `- model_name: claude-sonnet-4-6
  litellm_params: { model: anthropic/stub-1, api_key: os.environ/STUB_KEY, api_base: "${provider.url}" }
  model_info: { input_cost_per_token: 0.000003, cache_read_input_token_cost: 0.000003, output_cost_per_token: 0.000015 }
`;
  workspace = await Workspace.create({ talker: talker('second') }, { file, variables: { STUB_KEY: SECRET } });
  recorded = await workspace.runOnNoop('talker');
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.before = () => undefined;
  provider.calls = 0;
});

const LOCAL = ['--local', join(import.meta.dirname, '../fixtures/datasets/noop')];

async function replay(...options: string[]): Promise<FinishedRun> {
  const end = await workspace.run('run', '--replay', recorded.directory, ...LOCAL, ...options);
  const directory = runDirectory(end);
  return { end, directory, summary: await summaryIn(directory) };
}

const patchOf = ({ directory }: FinishedRun) => readFile(join(directory, 'final.patch'), 'utf8');

test('a run keeps what its agent and its model said to each other, and no key', async () => {
  expect(recorded.summary.model).toMatchObject({
    recording: { exchanges: 3, lost: 0, problem: null },
    replay: null,
  });
  const exchanges = await readExchanges(join(recorded.directory, FILE));
  expect(exchanges.map(({ exchange, protocol, answer }) => [exchange, protocol, answer.status])).toEqual([
    [1, 'anthropic-messages', 200],
    [2, 'anthropic-messages', 200],
    [3, 'anthropic-messages', 200],
  ]);
  const text = exchanges.map((one) => JSON.stringify(one) + one.requestBody + one.answerBody).join();
  expect(text).toContain('In the parser.');
  expect(text).toContain('\\"SSE_API_KEY\\\\\\":\\\\\\"[key]');
  expect(text).not.toMatch(/sk-ssebench-/);
  expect(text).not.toContain(SECRET);
});

test('it is replayed at no cost, its provider gone, with the same patch; the results say that it was a replay', async () => {
  provider.before = (_, response) => void response.destroy();
  const again = await replay();
  expect(provider.calls).toBe(0);
  expect(again.end.stdout).toContain('Replay: 3 of 3 calls as they were recorded');
  expect(again.summary).toMatchObject({
    outcome: { code: 'graded' },
    spend: 0,
    config: { agent: 'talker', model: 'claude-sonnet-4-6', replay_of: recorded.summary.run_id },
    model: { calls: 3, answered: 3, replay: { of: 3, served: 3, first_difference: null } },
  });
  expect(await patchOf(again)).toBe(await patchOf(recorded));
});

test('of an agent that was changed, the first request that differs is told', async () => {
  const program = join(workspace.path, 'agents/talker/agent.mjs');
  const before = await readFile(program, 'utf8');
  await writeFile(program, TALKER.replace('WORD', 'another'));
  const { end, summary } = await replay('--run-id', 'changed');
  await writeFile(program, before);
  expect(summary.model?.replay).toMatchObject({
    of: 3,
    served: 1,
    first_difference: { exchange: 2, protocol: 'anthropic-messages', field: 'messages[0].content' },
  });
  expect(end.stdout).toMatch(
    /call 2 differs at messages\[0\]\.content: recorded is "second .*, and now it is "another /,
  );
  expect((await workspace.run('runs', 'show', 'changed')).stdout).toContain(`Replay of run ${recorded.summary.run_id}`);
});

test('what a run cost is told call by call, by the books, and as a total where those are gone', async () => {
  const cost = async () => JSON.parse((await workspace.run('runs', 'cost', recorded.directory, '--json')).stdout);
  const told = await cost();
  expect(told.calls).toHaveLength(3);
  expect(told.calls[0]).toMatchObject({ state: 'settled', status: 200, tokens: { output: USAGE.output } });
  expect(told.totals.calls).toBe(3);
  expect(told.totals.spend).toBeCloseTo(3 * CALL, 9);
  expect(told.totals.cached_share).toBeCloseTo(USAGE.cached / USAGE.input, 9);
  expect((await workspace.run('runs', 'cost', recorded.summary.run_id)).stdout).toMatch(/3 calls, 0\.\d{6} USD/);

  await workspace.run('gateway', 'down');
  const state = join(workspace.path, 'state');
  await rename(state, `${state}.away`);
  const left = await cost();
  await workspace.run('gateway', 'down', '--force');
  expect(left).toMatchObject({
    calls: null,
    totals: { calls: 3, spend: told.totals.spend, tokens: told.totals.tokens },
  });
});

test('--no-record keeps nothing, and such a run can’t be replayed', async () => {
  const { directory, summary } = await workspace.runOnNoop('talker', '--no-record');
  expect(summary.model).toMatchObject({ calls: 3, recording: null });
  expect(existsSync(join(directory, FILE))).toBe(false);
  const { status, stderr } = await workspace.run('run', '--replay', summary.run_id, ...LOCAL);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('has no recording') });
});

test('a gateway that is killed in the middle leaves a recording of all calls that were answered', async () => {
  provider.before = async (count) => {
    if (count === 2) process.kill((await workspace.gatewayStatus()).pid, 'SIGKILL');
  };
  const { directory, summary } = await workspace.runOnNoop('talker');
  const exchanges = await readExchanges(join(directory, FILE));
  expect(exchanges.filter(({ answer }) => answer.status === 200).length).toBe(summary.model?.answered);
  expect(summary.model?.recording).toMatchObject({ exchanges: exchanges.length, problem: null });
});

test('a run whose command was killed tells its cost while it goes on, and has its recording in the end', async () => {
  const second = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<void>();
  provider.before = (count) => {
    if (count !== 2) return;
    second.resolve();
    return killed.promise;
  };
  await using run = await LiveRun.start(workspace, 'talker');
  await Promise.race([second.promise, run.ended]);
  await run.killCommand();
  const { calls } = JSON.parse((await workspace.run('runs', 'cost', run.runId, '--json')).stdout);
  expect(calls).toMatchObject([{ state: 'settled' }, { state: 'open' }]);
  killed.resolve();
  expect(await workspace.run('runs', 'recover', run.runId)).toMatchObject({ status: 0 });
  const { model } = await run.summary();
  expect(model?.recording).toMatchObject({ exchanges: 3, lost: 0, problem: null });
});

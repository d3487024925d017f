import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { everything } from './support/hostile.ts';
import { Workspace } from './support/workspace.ts';

/** Asks its model once, tells nobody anything, and does not do what the model wants. */
const CARELESS = `
const tools = [{ type: 'function', function: { name: 'bash', parameters: { type: 'object', properties: { command: {} } } } }];
const body = JSON.stringify({ model: process.env.SSE_MODEL_NAME, messages: [{ role: 'user', content: 'Fix it.' }], tools });
const headers = { authorization: 'Bearer ' + process.env.SSE_API_KEY, 'content-type': 'application/json' };
const answer = await fetch(process.env.SSE_BASE_URL + '/v1/chat/completions', { method: 'POST', headers, body });
console.log(await answer.text());
`;

let temporary: string;
let workspace: Workspace;
beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'check-'));
  const dockerfile =
    'FROM ssebench-agent\nCOPY agent.ts /usr/local/lib/\nCMD ["sse", "node", "/usr/local/lib/agent.ts"]\n';
  workspace = await Workspace.create({ careless: { dockerfile, usesModel: true, files: { 'agent.ts': CARELESS } } });
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  rmSync(temporary, { recursive: true, force: true });
});

async function check(agent: string) {
  const { status, stdout, stderr } = await workspace
    .withVariables({ TMPDIR: temporary })
    .run('agents', 'check', agent, '--json');
  const { points, runs } = JSON.parse(stdout) as {
    points: { point: string; state: string; found: string; remedy?: string }[];
    runs: string | null;
  };
  const left = readdirSync(temporary).filter((name) => name.startsWith('ssebench-check-'));
  return { status, points, runs, left, stderr };
}

test('an agent that calls no model has a short list', async () => {
  const { status, points, left } = await check('dummy');
  expect(points.map(({ point, state }) => `${point} ${state}`)).toEqual(['grade ok', 'exit status ok', 'session note']);
  expect({ status, left }).toEqual({ status: 0, left: [] });
});

test.runIf(everything)('mini misses nothing, and nothing is left of the check', async () => {
  const { status, points, left } = await check('mini');
  expect(points.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(points).toHaveLength(17);
  expect({ status, left }).toEqual({ status: 0, left: [] });
});

test.runIf(everything)(
  'an agent that misses everything is told what to do about each point, and its runs stay',
  async () => {
    const { status, points, runs, left } = await check('careless');
    expect(points.filter(({ state }) => state === 'missing').map(({ point }) => point)).toEqual([
      'prompt',
      'test_patch',
      'edit',
      'grade',
      'session',
      'time limit',
      'model failure',
    ]);
    expect(points.filter(({ state, remedy }) => state === 'missing' && !remedy)).toEqual([]);
    expect(status).toBe(1);
    expect(runs).toContain(left[0]);
  },
);

test.runIf(everything)('the agent of the page on adding one misses nothing', async () => {
  const page = readFileSync(join(CHECKOUT, 'docs/add-an-agent.md'), 'utf8');
  const folder = join(workspace.path, 'agents/tiny');
  mkdirSync(folder);
  const blocks = page.matchAll(/^`agents\/tiny\/(?<name>[^`]+)`.*?^```\w+\n(?<text>.*?)^```$/gms);
  for (const { groups } of blocks) writeFileSync(join(folder, groups?.['name'] ?? ''), groups?.['text'] ?? '');
  expect(readdirSync(folder).sort()).toEqual(['Dockerfile', 'agent.yaml', 'tiny.py']);
  const { status, points } = await check('tiny');
  expect(points.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(status).toBe(0);
});

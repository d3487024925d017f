import { expect, test } from 'vitest';
import { cliFolder } from '../test-cli.ts';

const MODELS = `- model_name: opus
  litellm_params: {model: anthropic/claude-opus-5-5}
- model_name: local
  litellm_params: {model: openai/llama, api_base: "http://localhost:8000/v1", temperature: 0}
  model_info: {free: true}
- model_name: new
  litellm_params: {model: openai/not-in-the-table, api_key: sk-written}
- model_name: dear
  litellm_params: {model: openai/also-new, api_key: os.environ/MY_KEY}
  model_info: {input_cost_per_token: 1.5e-6, output_cost_per_token: 1e-5, input_cost_per_token_above_200k_tokens: 3e-6}
- model_name: elsewhere
  litellm_params: {model: maker/one, api_key: os.environ/MY_KEY}
`;

const KEYS = { ANTHROPIC_API_KEY: 'secret-1', MY_KEY: 'secret-2' };

test('the list has every model with its price for a million tokens, and whether its key is set', () => {
  using folder = cliFolder({ 'models/all.yaml': MODELS });
  const { status, stdout, stderr } = folder.ssebench(['models', 'list'], { MY_KEY: 'secret-2' });
  expect(stdout.split('\n')).toEqual([
    'MODEL      SERVED AS                  INPUT    CACHED  OUTPUT  KEY',
    'opus       anthropic/claude-opus-5-5  4        0.2     20      ANTHROPIC_API_KEY (not set)',
    'local      openai/llama               free',
    'new        openai/not-in-the-table    unknown',
    'dear       openai/also-new            1.5      1.5     10      MY_KEY',
    'elsewhere  maker/one                  unknown                  MY_KEY',
    '',
  ]);
  expect(stderr).toMatch(/^US dollars for a million tokens\. Prices that no file gives: LiteLLM \d/);
  expect(status).toBe(0);
});

test('the list as JSON has prices by kind and tier, and no key', () => {
  using folder = cliFolder({ 'models/all.yaml': MODELS });
  const { stdout } = folder.ssebench(['models', 'list', '--json'], KEYS);
  expect(stdout).not.toMatch(/secret|sk-written/);
  const base = { input: 1.5, cache_read: 1.5, cache_write_5m: 1.5, cache_write_1h: 1.5, output: 10, reasoning: 10 };
  expect(JSON.parse(stdout)[3]).toEqual({
    name: 'dear',
    model: 'openai/also-new',
    place: 'models/all.yaml:8',
    base_url: 'https://api.openai.com/v1',
    protocols: ['openai-chat', 'openai-responses'],
    max_output_tokens: null,
    usd_per_million: base,
    tiers: [{ above_tokens: 200_000, ...base, input: 3, cache_read: 3, cache_write_5m: 3, cache_write_1h: 3 }],
    key: { variable: 'MY_KEY', set: true },
  });
});

test('the check says what keeps each model from being used, and where', () => {
  using folder = cliFolder({ 'models/all.yaml': MODELS });
  expect(folder.ssebench(['models', 'check'], { MY_KEY: 'secret-2' })).toEqual({
    status: 1,
    stdout: [
      'opus: not ready: models/all.yaml:1: ANTHROPIC_API_KEY is not set: put it into the environment or .env',
      'local: note: models/all.yaml:3: the embedded gateway does not use litellm_params temperature',
      'new: error: models/all.yaml:6: no price is known for openai/not-in-the-table: add input_cost_per_token and output_cost_per_token (US dollars per token) to its model_info, or base_model, or "free: true"',
      'new: note: models/all.yaml:6: api_key stands in the file: write os.environ/NAME, and put the key into .env',
      'dear: note: models/all.yaml:8: cached input counts at the full price: add cache_read_input_token_cost to its model_info',
      'elsewhere: error: models/all.yaml:11: litellm_params.model: provider "maker" is none of anthropic, openai, gemini; add api_base, the base URL of its OpenAI-compatible API',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('a model that is named must be ready; without names a missing key is only told', () => {
  using folder = cliFolder({ 'models/all.yaml': MODELS.split('- model_name: new')[0] ?? '' });
  const status = (args: readonly string[], env = {}) => folder.ssebench(['models', 'check', ...args], env).status;
  expect([status([]), status(['local']), status(['opus']), status(['opus'], KEYS)]).toEqual([0, 0, 1, 0]);
  expect(folder.ssebench(['models', 'check', 'opus'], KEYS).stdout).toBe('opus: ready\n');
  expect(folder.ssebench(['models', 'check', 'opos'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'unknown model "opos", did you mean "opus"? (available: opus, local)\n',
  });
});

test('the check as JSON has codes, for programs', () => {
  using folder = cliFolder({ 'models/all.yaml': MODELS });
  const { stdout } = folder.ssebench(['models', 'check', '--json', 'local', 'opus']);
  expect(JSON.parse(stdout)).toEqual([
    {
      name: 'opus',
      place: 'models/all.yaml:1',
      ready: false,
      findings: [{ code: 'no_key', variable: 'ANTHROPIC_API_KEY' }],
    },
    {
      name: 'local',
      place: 'models/all.yaml:3',
      ready: true,
      findings: [{ code: 'unused', parameters: ['temperature'] }],
    },
  ]);
});

test('a malformed file is an error with its line', () => {
  using folder = cliFolder({ 'models/all.yaml': `${MODELS}- model_name: x\n  litellm_params: {model: one}\n` });
  for (const command of ['list', 'check']) {
    expect(folder.ssebench(['models', command])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'models/all.yaml:14: [5].litellm_params.model: must be <provider>/<id>, found "one"\n',
    });
  }
});

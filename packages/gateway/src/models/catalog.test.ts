import { mkdirSync, mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { FolderCatalog } from './catalog.ts';

/** A workspace with model files, and a clock that passes when it is told to. */
function workspace(files: Readonly<Record<string, string>>, environment: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'ssebench-models-'));
  let now = 0;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
    now += 1_000;
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const show = (path: string) => path.slice(folder.path.length + 1);
  const catalog = new FolderCatalog(join(folder.path, 'models'), join(folder.path, '.env'), {
    environment,
    show,
    now: () => now,
  });
  return {
    catalog,
    write,
    remove(path: string) {
      rmSync(join(folder.path, path));
      now += 1_000;
    },
    wait: (ms: number) => {
      now += ms;
    },
    [Symbol.dispose]: () => folder.remove(),
  };
}

function entry(
  name: string,
  model: string,
  more: Record<string, unknown> = {},
  info?: Record<string, unknown>,
): string {
  const lines = [`- model_name: ${name}`, `  litellm_params: ${JSON.stringify({ model, ...more })}`];
  if (info) lines.push(`  model_info: ${JSON.stringify(info)}`);
  return `${lines.join('\n')}\n`;
}

test('a change of a file takes effect without a restart: a new model, a new price, a model that is gone', () => {
  using work = workspace({ 'models/a.yaml': entry('one', 'openai/gpt-5.2') });
  expect(work.catalog.names()).toEqual(['one']);
  const before = work.catalog.get('one');
  work.write('models/b.yaml', entry('two', 'openai/x', {}, { free: true }));
  expect(work.catalog.names()).toEqual(['one', 'two']);
  expect(work.catalog.get('two')?.prices).toBe('free');
  work.write('models/a.yaml', entry('one', 'openai/gpt-5.2', {}, { input_cost_per_token: 1e-6 }));
  expect(work.catalog.get('one')?.prices).not.toEqual(before?.prices);
  work.remove('models/b.yaml');
  expect(work.catalog.get('two')).toBeUndefined();
});

test('files are looked at once in a tenth of a second', () => {
  using work = workspace({});
  expect(work.catalog.names()).toEqual([]);
  work.write('models/a.yaml', entry('one', 'openai/gpt-5.2'));
  work.wait(-950);
  expect(work.catalog.names()).toEqual([]);
  work.wait(50);
  expect(work.catalog.names()).toEqual(['one']);
});

test('a file that became malformed keeps its models, and the problem is told at its line until it is right again', () => {
  using work = workspace({
    'models/a.yaml': entry('one', 'openai/gpt-5.2'),
    'models/b.yaml': entry('two', 'openai/o3'),
  });
  expect(work.catalog.problems()).toEqual([]);
  work.write('models/a.yaml', '- model_name: one\n  litellm_params:\n    model: [oops\n');
  expect(work.catalog.names()).toEqual(['one', 'two']);
  expect(work.catalog.problems()).toEqual([expect.stringMatching(/^models\/a\.yaml:\d+: /)]);
  work.write('models/a.yaml', entry('three', 'openai/gpt-5.2'));
  expect(work.catalog.names()).toEqual(['three', 'two']);
  expect(work.catalog.problems()).toEqual([]);
});

test('a name that comes twice is the first one, with a problem', () => {
  using work = workspace({
    'models/a.yaml': entry('one', 'openai/gpt-5.2'),
    'models/b.yaml': `${entry('two', 'openai/o3')}${entry('one', 'openai/gpt-5.1')}`,
  });
  expect(work.catalog.get('one')?.upstreamModel).toBe('gpt-5.2');
  expect(work.catalog.problems()).toEqual(['models/b.yaml:3: model_name: "one" is defined at models/a.yaml:1 already']);
});

test('each provider has its address and protocols; another one needs an address and speaks as OpenAI does', () => {
  using work = workspace({
    'models/a.yaml': [
      entry('a', 'anthropic/claude-opus-5-5'),
      entry('a2', 'anthropic/claude-opus-5-5', { api_base: 'http://localhost:9/x/v1/' }),
      entry('o', 'openai/gpt-5.2'),
      entry('o2', 'openai/local', { api_base: 'http://localhost:9/v1/' }),
      entry('g', 'gemini/gemini-3-flash-preview'),
      entry(
        'm',
        'maker/org/one',
        { api_base: 'os.environ/MAKER_URL' },
        { protocols: ['openai-chat', 'openai-responses'] },
      ),
      entry('n', 'maker/two'),
      entry('f', 'maker/three', { api_base: 'file:///etc/passwd' }),
    ].join(''),
    '.env': 'MAKER_URL=https://maker.example/api\n',
  });
  const told = work.catalog.names().map((name) => {
    const { provider, baseUrl, protocols, upstreamModel } = work.catalog.get(name) ?? {};
    return [name, provider, baseUrl, upstreamModel, protocols?.join(' ')];
  });
  expect(told).toEqual([
    ['a', 'anthropic', 'https://api.anthropic.com', 'claude-opus-5-5', 'anthropic-messages'],
    ['a2', 'anthropic', 'http://localhost:9/x', 'claude-opus-5-5', 'anthropic-messages'],
    ['o', 'openai', 'https://api.openai.com/v1', 'gpt-5.2', 'openai-chat openai-responses'],
    ['o2', 'compatible', 'http://localhost:9/v1', 'local', 'openai-chat'],
    ['g', 'google', 'https://generativelanguage.googleapis.com', 'gemini-3-flash-preview', 'gemini'],
    ['m', 'compatible', 'https://maker.example/api', 'org/one', 'openai-chat openai-responses'],
  ]);
  expect(work.catalog.problems()).toEqual([
    'models/a.yaml:14: litellm_params.model: provider "maker" is none of anthropic, openai, gemini; add api_base, the base URL of its OpenAI-compatible API',
    'models/a.yaml:16: litellm_params.api_base: must be an http or https URL',
  ]);
});

test('a key comes from the environment, then from .env as it is now; a missing one is told by its name alone', () => {
  using work = workspace(
    {
      'models/a.yaml': [
        entry('own', 'openai/gpt-5.2', { api_key: 'os.environ/MY_KEY' }),
        entry('usual', 'anthropic/claude-opus-5-5'),
        entry('written', 'openai/gpt-5.2', { api_key: 'sk-written' }),
        entry('local', 'openai/x', { api_base: 'http://localhost:9/v1' }),
      ].join(''),
      '.env': 'MY_KEY=" from-file "\nANTHROPIC_API_KEY=from-file\n',
    },
    { ANTHROPIC_API_KEY: ' from-environment ', MY_KEY: ' ' },
  );
  const key = (name: string) => work.catalog.get(name)?.apiKey();
  expect([key('own'), key('usual'), key('written'), key('local')]).toEqual([
    'from-file',
    'from-environment',
    'sk-written',
    '',
  ]);
  work.write('.env', 'MY_KEY=newer\n');
  expect(key('own')).toBe('newer');
  work.remove('.env');
  expect(() => key('own')).toThrow('MY_KEY is not set: put it into the environment or .env');
});

test("a model's file goes before the shipped prices and limits, field by field", () => {
  using work = workspace({
    'models/a.yaml': [
      entry(
        'one',
        'anthropic/claude-opus-5-5',
        { max_tokens: 500 },
        { input_cost_per_token: 1e-6, max_output_tokens: 9_000 },
      ),
      entry('same', 'maker/x', { api_base: 'http://localhost:9' }, { base_model: 'openai/gpt-5.2' }),
      entry('unknown', 'openai/nobody-knows'),
    ].join(''),
  });
  expect(work.catalog.get('one')).toMatchObject({
    defaultOutputTokens: 500,
    maxOutputTokens: 9_000,
    prices: { base: { input: 10n ** 12n, cacheRead: 2n * 10n ** 11n }, maxInputTokens: 1_000_000 },
  });
  expect(work.catalog.get('same')).toMatchObject({
    defaultOutputTokens: 128_000,
    prices: { base: { input: 175n * 10n ** 10n } },
  });
  expect(work.catalog.get('unknown')).toMatchObject({
    defaultOutputTokens: 8_192,
    maxOutputTokens: undefined,
    prices: undefined,
  });
});

test('every model that we ship can be served and has a price', () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const catalog = new FolderCatalog(join(root, 'models'), join(root, 'no.env'), { environment: {} });
  expect(catalog.problems()).toEqual([]);
  const unpriced = catalog.names().filter((name) => typeof catalog.get(name)?.prices !== 'object');
  expect([catalog.names().length, unpriced]).toEqual([13, []]);
});

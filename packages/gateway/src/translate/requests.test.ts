import { describe, expect, test } from 'vitest';
import { scanJson } from '../json/scan.ts';
import type { GatewayModel } from '../server/ports.ts';
import { TranslationError } from './fields.ts';
import type { Translated } from './testing/arbitrary.ts';
import * as golden from './testing/golden-requests.ts';
import { testModel } from './testing/models.ts';
import { translators } from './translator.ts';

function sent(client: Translated, provider: Translated, asked: object, changes: Partial<GatewayModel> = {}): object {
  const model = testModel(provider, changes);
  const translation = translators(client, model)[0]?.begin(scanJson(Buffer.from(JSON.stringify(asked))), model);
  return JSON.parse(translation?.request.toString() ?? '');
}

function refused(client: Translated, provider: Translated, asked: object): string {
  try {
    sent(client, provider, asked);
  } catch (error) {
    if (error instanceof TranslationError) return `${error.kind} ${error.path}`;
    throw error;
  }
  return 'taken';
}

describe('an agent\u2019s request says the same to a provider of another protocol', () => {
  test.each([
    ['Claude Code', 'anthropic-messages', 'openai-chat', golden.CLAUDE_CODE, golden.CLAUDE_CODE_AS_CHAT],
    ['Claude Code', 'anthropic-messages', 'openai-responses', golden.CLAUDE_CODE, golden.CLAUDE_CODE_AS_RESPONSES],
    ['Codex', 'openai-responses', 'anthropic-messages', golden.CODEX, golden.CODEX_AS_ANTHROPIC],
    ['Codex', 'openai-responses', 'openai-chat', golden.CODEX, golden.CODEX_AS_CHAT],
    ['OpenCode', 'openai-chat', 'anthropic-messages', golden.OPENCODE, golden.OPENCODE_AS_ANTHROPIC],
  ] as const)('%s: %s to %s', (_agent, client, provider, asked, expected) => {
    expect(sent(client, provider, asked)).toEqual(expected);
  });
});

const ANTHROPIC = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const RESPONSES = { model: 'm', input: 'hi' };

describe('what the other protocol can\u2019t say is refused by its field', () => {
  test.each([
    [
      'a stop sequence',
      'anthropic-messages',
      'openai-responses',
      { ...ANTHROPIC, stop_sequences: ['X'] },
      'stop_sequences',
    ],
    ['a field that nobody thought of', 'anthropic-messages', 'openai-chat', { ...ANTHROPIC, novel: 1 }, 'novel'],
    [
      'a tool without a schema',
      'anthropic-messages',
      'openai-chat',
      {
        ...ANTHROPIC,
        tools: [
          { name: 'a', input_schema: {} },
          { type: 'bash_20250124', name: 'bash' },
        ],
      },
      'tools[1].type',
    ],
    [
      'a kind of content',
      'anthropic-messages',
      'openai-chat',
      { ...ANTHROPIC, messages: [{ role: 'user', content: [{ type: 'search_result', source: 's', content: [] }] }] },
      'messages[0].content[0].type',
    ],
    [
      'any JSON object',
      'openai-chat',
      'anthropic-messages',
      { ...CHAT, response_format: { type: 'json_object' } },
      'response_format',
    ],
    ['a penalty', 'openai-chat', 'anthropic-messages', { ...CHAT, frequency_penalty: 0.5 }, 'frequency_penalty'],
    [
      'a tool that the client\u2019s API knows alone',
      'openai-responses',
      'openai-chat',
      { ...RESPONSES, tools: [{ type: 'local_shell' }] },
      'tools[0].type',
    ],
    [
      'an item of another kind',
      'openai-responses',
      'openai-chat',
      { ...RESPONSES, input: [{ type: 'compaction' }] },
      'input[0].type',
    ],
  ] as const)('%s', (_what, client, provider, asked, field) => {
    expect(refused(client, provider, asked)).toBe(`untranslatable ${field}`);
  });

  test('a request that is not what its own protocol says is malformed', () => {
    const messages = [{ role: 'user', content: [{ type: 'text' }] }];
    expect(refused('anthropic-messages', 'openai-chat', { ...ANTHROPIC, messages })).toBe(
      'malformed messages[0].content[0].text',
    );
    expect(refused('openai-chat', 'anthropic-messages', { ...CHAT, temperature: 'x' })).toBe('malformed temperature');
  });

  test('what says the same as nothing is taken', () => {
    expect(refused('openai-chat', 'anthropic-messages', { ...CHAT, frequency_penalty: 0, logprobs: false })).toBe(
      'taken',
    );
    expect(refused('openai-responses', 'openai-chat', { ...RESPONSES, previous_response_id: null })).toBe('taken');
  });
});

describe('a model gets what it takes', () => {
  test('an instruction within the conversation is the user’s, but for OpenAI’s own models', () => {
    const messages = [...ANTHROPIC.messages, { role: 'system', content: 'Mind.' }];
    const roles = (request: object) => (request as { messages: { role: string }[] }).messages.map(({ role }) => role);
    expect(roles(sent('anthropic-messages', 'openai-chat', { ...ANTHROPIC, messages }))).toEqual(['user', 'user']);
    const own = sent('anthropic-messages', 'openai-chat', { ...ANTHROPIC, messages }, { provider: 'openai' });
    expect(roles(own)).toEqual(['user', 'system']);
  });

  test('an output limit that is above its own is lowered, one below what the API takes is raised', () => {
    expect(sent('anthropic-messages', 'openai-chat', ANTHROPIC, { maxOutputTokens: 4 })).toMatchObject({
      max_tokens: 4,
    });
    expect(sent('anthropic-messages', 'openai-responses', ANTHROPIC)).toMatchObject({ max_output_tokens: 16 });
  });

  test.each([
    ['claude-opus-5-5', true],
    ['claude-opus-4-6-20260205', true],
    ['claude-haiku-4-5-20251001', false],
    ['claude-opus-4-1', false],
    ['claude-sonnet-4-20250514', false],
    ['claude-3-5-haiku-latest', false],
  ])('%s thinks when an effort is asked for: %s', (upstreamModel, thinks) => {
    const asked = { ...RESPONSES, reasoning: { effort: 'xhigh' } };
    const { thinking } = sent('openai-responses', 'anthropic-messages', asked, { upstreamModel }) as {
      thinking?: object;
    };
    expect(thinking !== undefined).toBe(thinks);
  });

  test.each([
    ['gpt-6-sol', true],
    ['o3', true],
    ['gpt-4.1', false],
    ['gpt-5-chat-latest', false],
  ])('%s is asked for encrypted thoughts: %s', (upstreamModel, asks) => {
    const request = sent('anthropic-messages', 'openai-responses', ANTHROPIC, { upstreamModel });
    expect('include' in request).toBe(asks);
  });
});

describe('tools', () => {
  test('a name that is too long for the provider is shortened, and told to the client in full', () => {
    const name = `mcp__${'x'.repeat(80)}`;
    const model = testModel('openai-chat');
    const asked = { ...ANTHROPIC, tools: [{ name, input_schema: {} }] };
    const translation = translators('anthropic-messages', model)[0]?.begin(
      scanJson(Buffer.from(JSON.stringify(asked))),
      model,
    );
    const short = JSON.parse(translation?.request.toString() ?? '').tools[0].function.name;
    expect(short).toHaveLength(64);
    const call = { id: 'c', type: 'function', function: { name: short, arguments: '' } };
    const answer = {
      id: 'r',
      choices: [{ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
    };
    const told = JSON.parse(translation?.answer(Buffer.from(JSON.stringify(answer))) ?? '');
    expect(told.content).toEqual([{ type: 'tool_use', id: 'c', name, input: {} }]);
  });

  test('a tool that takes free text, and one of a namespace, are called as the client knows them', () => {
    const model = testModel('anthropic-messages');
    const [translator] = translators('openai-responses', model);
    const translation = translator?.begin(scanJson(Buffer.from(JSON.stringify(golden.CODEX))), model);
    const used = [
      { type: 'tool_use', id: 'c1', name: 'apply_patch', input: { input: '*** Begin "Patch"\n' } },
      { type: 'tool_use', id: 'c2', name: 'mcp__docs__get', input: { path: 'a' } },
    ];
    const output = [
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin "Patch"\n' },
      { type: 'function_call', call_id: 'c2', namespace: 'mcp__docs', name: 'get', arguments: '{"path":"a"}' },
    ];
    const answer = Buffer.from(JSON.stringify({ id: 'r', content: used, stop_reason: 'tool_use' }));
    expect(JSON.parse(translation?.answer(answer) ?? '')).toMatchObject({ output });

    const stream = translation?.stream();
    const events = used.flatMap(({ input, ...block }, index) => [
      { type: 'content_block_start', index, content_block: { ...block, input: {} } },
      ...(JSON.stringify(input).match(/.{1,5}/g) ?? []).map((partial_json) => ({
        type: 'content_block_delta',
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index },
    ]);
    const all = [{ type: 'message_start', message: { id: 'r' } }, ...events, { type: 'message_stop' }];
    const text = all.map((event) => stream?.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))).join('');
    const last = text.split('\n\n').at(-2) ?? '';
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ response: { output } });
  });

  test('numbers and keys of a tool\u2019s input and schema stay as they were written', () => {
    const input = '{ "n": 12345678901234567890, "x": 1.0, "2": 0, "1": 0 }';
    const asked = `{"model":"m","input":[{"type":"function_call","call_id":"c","name":"a","arguments":${JSON.stringify(input)}}],"tools":[{"type":"function","name":"a","parameters":${input}}]}`;
    const model = testModel('anthropic-messages');
    const request = translators('openai-responses', model)[0]
      ?.begin(scanJson(Buffer.from(asked)), model)
      .request.toString();
    expect(request).toContain(`"input":${input}`);
    expect(request).toContain(`"input_schema":${input}`);
  });
});

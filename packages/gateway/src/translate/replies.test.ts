import { describe, expect, test } from 'vitest';
import { scanJson } from '../json/scan.ts';
import type { Translated } from './testing/arbitrary.ts';
import { type Golden, REFUSED, REPLIES, STOPPED, THOUGHT } from './testing/golden-replies.ts';
import { testModel } from './testing/models.ts';
import { translators } from './translator.ts';

const PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses'] as const;
const WAYS = PROTOCOLS.flatMap((client) =>
  PROTOCOLS.filter((name) => name !== client).map((name) => [client, name] as const),
);

const ASKED: Readonly<Record<Translated, object>> = {
  'anthropic-messages': { model: 'the-model', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] },
  'openai-chat': { model: 'the-model', messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { model: 'the-model', input: 'hi' },
};

function begin(client: Translated, provider: Translated, asked: object = ASKED[client]) {
  const model = testModel(provider);
  const [translator] = translators(client, model);
  if (translator === undefined) throw new Error('no translator');
  return translator.begin(scanJson(Buffer.from(JSON.stringify(asked))), model);
}

function told(client: Translated, provider: Translated, golden: Golden): unknown {
  return JSON.parse(begin(client, provider).answer(Buffer.from(JSON.stringify(golden[provider]))));
}

describe.each(WAYS)('a client of %s with a provider of %s', (client, provider) => {
  test.each(Object.entries(REPLIES))('is told %s as its own protocol says it', (_what, golden) => {
    expect(told(client, provider, golden)).toMatchObject(undated(golden[client]));
  });
});

test.each(WAYS.filter(([, provider]) => provider !== 'anthropic-messages'))(
  'a client of %s is told that a model of %s refused, in its words',
  (client, provider) => {
    expect(told(client, provider, REFUSED)).toMatchObject(undated(REFUSED[client]));
  },
);

/** Anthropic's protocol does not say when an answer was made. */
function undated(golden: object): object {
  const { created, created_at, ...rest } = golden as { created?: unknown; created_at?: unknown };
  return rest;
}

test('what a provider adds to an answer is no harm', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' }, novel: 1 };
  const choices = [{ message: { tool_calls: [call], novel: 1 }, finish_reason: 'tool_calls', novel: 1 }];
  const body = Buffer.from(JSON.stringify({ id: 'r1', choices, novel: 1 }));
  expect(JSON.parse(begin('anthropic-messages', 'openai-chat').answer(body))).toMatchObject({
    stop_reason: 'tool_use',
  });
});

test('a stop sequence that was met is an end where the protocol has no word for it', () => {
  const body = Buffer.from(JSON.stringify(STOPPED));
  expect(JSON.parse(begin('openai-chat', 'anthropic-messages').answer(body))).toMatchObject({
    choices: [{ finish_reason: 'stop' }],
  });
  expect(JSON.parse(begin('openai-responses', 'anthropic-messages').answer(body))).toMatchObject({
    status: 'completed',
  });
});

describe('thoughts come back to the provider that made them as it sealed them', () => {
  test('Anthropic, through a client of the Responses API', () => {
    const client = 'openai-responses';
    const answer = told(client, 'anthropic-messages', THOUGHT) as { output: [object, object] };
    expect(answer.output[0]).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] });
    const next = { model: 'the-model', input: [{ role: 'user', content: 'hi' }, ...answer.output] };
    const sent = JSON.parse(begin(client, 'anthropic-messages', next).request.toString());
    expect(sent.messages[1].content).toEqual((THOUGHT['anthropic-messages'] as { content: unknown }).content);
  });

  test('OpenAI, through a client of Anthropic\u2019s protocol', () => {
    const client = 'anthropic-messages';
    const answer = told(client, 'openai-responses', THOUGHT) as { content: [object, object] };
    expect(answer.content[0]).toMatchObject({ type: 'thinking', thinking: 'hm' });
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: answer.content },
    ];
    const sent = JSON.parse(begin(client, 'openai-responses', { ...ASKED[client], messages }).request.toString());
    expect(sent.input[1]).toEqual({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'ENC',
    });
  });

  test.each(['anthropic-messages', 'openai-responses'] as const)(
    'a compatible server, under its own name for them, through a client of %s',
    (client) => {
      const answer = told(client, 'openai-chat', THOUGHT) as { content?: object[]; output?: object[] };
      const next =
        client === 'anthropic-messages'
          ? {
              ...ASKED[client],
              messages: [
                { role: 'user', content: 'hi' },
                { role: 'assistant', content: answer.content },
              ],
            }
          : { model: 'the-model', input: [{ role: 'user', content: 'hi' }, ...(answer.output ?? [])] };
      const sent = JSON.parse(begin(client, 'openai-chat', next).request.toString());
      expect(sent.messages[1]).toMatchObject({ role: 'assistant', reasoning: 'hm' });
    },
  );

  test('a server that wants something back with a call, whole and streamed', () => {
    const client = 'anthropic-messages';
    const extra_content = { google: { thought_signature: 'SIG' } };
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' }, extra_content };
    const answer = told(client, 'openai-chat', {
      ...THOUGHT,
      'openai-chat': { id: 'r1', choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] },
    }) as { content: object[] };
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: answer.content },
    ];
    const sent = JSON.parse(begin(client, 'openai-chat', { ...ASKED[client], messages }).request.toString());
    expect(sent.messages[1].tool_calls[0]).toMatchObject({ id: 'c1', extra_content });

    const stream = begin(client, 'openai-chat').stream();
    const chunk = { id: 'r1', choices: [{ delta: { tool_calls: [call] } }] };
    const text = stream.write(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)).toString();
    expect(text).toContain(JSON.stringify((answer.content[0] as { signature: string }).signature));
  });

  test('no other provider gets them', () => {
    const answer = told('anthropic-messages', 'openai-responses', THOUGHT) as { content: object[] };
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: answer.content },
    ];
    const sent = begin('anthropic-messages', 'openai-chat', { ...ASKED['anthropic-messages'], messages });
    expect(sent.request.toString()).not.toMatch(/hm|ENC/);
  });
});

import { describe, expect, test } from 'vitest';
import { scanJson } from '../json/scan.ts';
import { SseCutter, StreamFault } from './sse.ts';
import type { StreamTranslation } from './stream-translation.ts';
import type { Translated } from './testing/arbitrary.ts';
import { USAGE } from './testing/golden-replies.ts';
import { STREAM_ERRORS, STREAMS } from './testing/golden-streams.ts';
import { testModel } from './testing/models.ts';
import { translators } from './translator.ts';

const PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses'] as const;
const WAYS = PROTOCOLS.flatMap((client) =>
  PROTOCOLS.filter((name) => name !== client).map((name) => [client, name] as const),
);

const ASKED: Readonly<Record<Translated, object>> = {
  'anthropic-messages': { max_tokens: 100, messages: [] },
  'openai-chat': { messages: [], stream_options: { include_usage: true } },
  'openai-responses': { input: [] },
};

function streamOf(client: Translated, provider: Translated, asked: object = {}): StreamTranslation {
  const model = testModel(provider);
  const request = { model: 'the-model', stream: true, ...ASKED[client], ...asked };
  const translation = translators(client, model)[0]?.begin(scanJson(Buffer.from(JSON.stringify(request))), model);
  if (translation === undefined) throw new Error('no translator');
  return translation.stream();
}

type Event = Record<string, unknown>;

function events(text: string): Event[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && block !== 'data: [DONE]');
  return blocks.map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Event);
}

function translated(client: Translated, provider: Translated, pieces: readonly string[], asked?: object): Event[] {
  const stream = streamOf(client, provider, asked);
  return events(pieces.map((piece) => stream.write(Buffer.from(piece)).toString()).join('') + stream.end().toString());
}

/** What an Anthropic client makes of its events. */
function anthropicBlocks(all: readonly Event[]): unknown[] {
  const blocks: Record<string, string>[] = [];
  for (const { type, index, content_block: block, delta } of all) {
    const at = blocks[index as number];
    if (type === 'content_block_start') blocks.push({ ...(block as Record<string, string>), input: '' });
    if (type !== 'content_block_delta' || at === undefined) continue;
    for (const [name, text] of Object.entries(delta as Record<string, string>)) {
      const member = name === 'partial_json' ? 'input' : name;
      if (member !== 'type') at[member] = (at[member] ?? '') + text;
    }
  }
  return blocks.map(({ signature, ...block }) => block);
}

describe.each(PROTOCOLS.filter((name) => name !== 'anthropic-messages'))(
  'from %s to a client of Anthropic',
  (provider) => {
    const all = translated('anthropic-messages', provider, STREAMS[provider]);

    test('every block comes in its order, the inputs of tools in pieces', () => {
      expect(anthropicBlocks(all)).toEqual([
        { type: 'thinking', thinking: 'hm', input: '' },
        { type: 'text', text: 'h\u00e9\n"', input: '' },
        { type: 'tool_use', id: 'c1', name: 'read', input: '{"path":"a"}' },
        { type: 'tool_use', id: 'c2', name: 'list', input: '{}' },
      ]);
    });

    test('it begins, ends and counts as the protocol says', () => {
      const sequence = all.map(({ type }) => type).filter((type) => type !== 'content_block_delta');
      const block = ['content_block_start', 'content_block_stop'];
      expect(sequence).toEqual([
        'message_start',
        ...block,
        ...block,
        ...block,
        ...block,
        'message_delta',
        'message_stop',
      ]);
      expect(all[0]).toMatchObject({ message: { id: 'r1', model: 'served', content: [] } });
      expect(all.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: USAGE.anthropic });
    });
  },
);

describe.each(PROTOCOLS.filter((name) => name !== 'openai-chat'))(
  'from %s to a client of Chat Completions',
  (provider) => {
    const told = translated('openai-chat', provider, STREAMS[provider]) as {
      choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
      usage: unknown;
    }[];

    test('every piece comes in its order', () => {
      expect(told.flatMap(({ choices }) => choices.map(({ delta }) => delta))).toEqual([
        { role: 'assistant', content: '' },
        { reasoning_content: 'hm' },
        { content: 'h\u00e9' },
        { content: '\n"' },
        { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"path"' } }] },
        { tool_calls: [{ index: 0, function: { arguments: ':"a"}' } }] },
        { tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'list', arguments: '' } }] },
        { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
        {},
      ]);
    });

    test('it ends with its reason, and with the usage where the client asked for it', () => {
      expect(told.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
      expect(told.at(-1)).toMatchObject({ id: 'r1', model: 'served', choices: [], usage: USAGE.chat });
      const unasked = translated('openai-chat', provider, STREAMS[provider], { stream_options: null });
      expect(unasked).toHaveLength(told.length - 1);
    });
  },
);

describe.each(PROTOCOLS.filter((name) => name !== 'openai-responses'))(
  'from %s to a client of Responses',
  (provider) => {
    const all = translated('openai-responses', provider, STREAMS[provider]);
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'h\u00e9\n"', annotations: [] }] },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'c2', name: 'list', arguments: '{}' },
    ];

    test('every item is told when it is over, and all of them at the end, with the usage', () => {
      const done = all.filter(({ type }) => type === 'response.output_item.done');
      expect(done.map(({ item }) => item)).toMatchObject(output);
      expect(all.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { id: 'r1', model: 'served', status: 'completed', output, usage: USAGE.responses },
      });
      expect(done.map(({ item }) => item)).toEqual((all.at(-1) as { response: { output: object[] } }).response.output);
    });

    test('events are numbered, and pieces say where they belong', () => {
      expect(all.map(({ sequence_number: number }) => number)).toEqual(all.map((_, index) => index));
      const { item_id: id } = all.find(({ type }) => type === 'response.output_text.delta') ?? {};
      expect(all.find(({ item }) => (item as Event | undefined)?.['id'] === id)).toMatchObject({ output_index: 1 });
    });
  },
);

describe.each(WAYS)('a client of %s, with a provider of %s', (client, provider) => {
  const begun = STREAMS[provider].slice(0, 4);

  test('is told by its protocol\u2019s own event what the provider said went wrong', () => {
    const last = translated(client, provider, [...begun, STREAM_ERRORS[provider], ...STREAMS[provider].slice(4)]).at(
      -1,
    );
    expect(JSON.stringify(last)).toContain('Overloaded');
    if (client === 'anthropic-messages')
      expect(last).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    if (client === 'openai-chat') expect(last).toMatchObject({ error: { code: 'server_is_overloaded' } });
    if (client === 'openai-responses') {
      expect(last).toMatchObject({ type: 'response.failed', response: { error: { code: 'server_is_overloaded' } } });
    }
  });

  test.each([
    ['a stream that ends too early', []],
    ['an event that is no JSON', ['data: {"x\n\n']],
  ])('is told of %s', (_what, more) => {
    const stream = streamOf(client, provider);
    const text =
      [...begun, ...more].map((piece) => stream.write(Buffer.from(piece)).toString()).join('') + stream.end();
    expect(JSON.stringify(events(text).at(-1))).toMatch(/"(error|failed)"/);
    expect(stream.failure).toBeTypeOf('string');
  });

  test('gets each piece when it comes', () => {
    const stream = streamOf(client, provider);
    const at = STREAMS[provider].findIndex((piece) => piece.includes('h\u00e9'));
    for (const piece of STREAMS[provider].slice(0, at)) stream.write(Buffer.from(piece));
    expect(stream.write(Buffer.from(STREAMS[provider][at] ?? '')).toString()).toContain('h\u00e9');
  });
});

test('calls that a server gives the same index are told apart by their ids', () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'r', choices: [{ delta, finish_reason }] })}\n\n`;
  const called = (id: string) => chunk({ tool_calls: [{ index: 0, id, function: { name: id, arguments: '{}' } }] });
  const all = translated('anthropic-messages', 'openai-chat', [called('a'), called('b'), chunk({}, 'stop')]);
  expect(anthropicBlocks(all)).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  expect(all.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
});

test('what a provider tells after something that is no event is still seen, and the client’s stream has ended', () => {
  const model = testModel('openai-chat');
  const request = { model: 'the-model', stream: true, ...ASKED['anthropic-messages'] };
  const [translator] = translators('anthropic-messages', model);
  const seen: unknown[] = [];
  const stream = translator
    ?.begin(scanJson(Buffer.from(JSON.stringify(request))), model)
    .stream(({ usage }) => seen.push(usage));
  const text = stream?.write(Buffer.from('data: no object\n\ndata: {"usage":{"prompt_tokens":7}}\n\n')).toString();
  expect(events(text ?? '').map(({ type }) => type)).toEqual(['error']);
  expect(stream?.write(Buffer.from('data: {"usage":{"prompt_tokens":9}}\n\ndata: [DONE]\n\n')).toString()).toBe('');
  expect(seen).toEqual([{ prompt_tokens: 7 }, { prompt_tokens: 9 }]);
  expect(stream?.failure).toBe('an event holds no JSON object');
});

test('lines end with a line feed or with both, and the last one with nothing, wherever the pieces are cut', () => {
  const text =
    '\ufeffdata: first\r\n\r\nevent: e\r\ndata: {"é":1,\r\ndata: "b":2}\r\n\r\ndata:x\n\n: note\n\ndata: last';
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const cutter = new SseCutter();
    const found = [...cutter.write(bytes.subarray(0, cut)), ...cutter.write(bytes.subarray(cut)), ...cutter.end()];
    expect(found).toEqual(['first', '{"é":1,\n"b":2}', 'x', 'last']);
  }
});

test('an answer whose last line lacks its end is whole, and so is what it cost', () => {
  const stream = streamOf('openai-chat', 'anthropic-messages');
  const start = '{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1}}}';
  stream.write(Buffer.from(`data: ${start}\n\ndata: {"type":"message_stop"}`));
  expect(events(stream.end().toString()).at(-1)).toMatchObject({ usage: { prompt_tokens: 1 } });
  expect(stream.failure).toBeUndefined();
});

const MEBIBYTE = 2 ** 20;

test.each([
  ['one line', 'x'],
  ['many lines', 'x\ndata: '],
  ['many lines with nothing', '\ndata:'],
])(
  'an event that never seems to end, of %s, is a fault once, takes no memory, and what comes before and after is read',
  (_, filling) => {
    const cutter = new SseCutter();
    const found = cutter.write(Buffer.from('data: before\n\ndata: '));
    const piece = Buffer.from(filling.repeat(MEBIBYTE / filling.length));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let count = 0; count < 64; count += 1) {
      found.push(...cutter.write(piece));
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    found.push(...cutter.write(Buffer.from('\r\ndata: its last\r')));
    found.push(...cutter.write(Buffer.from('\n\r\ndata: after\n\n')));
    expect(found.map((data) => (data instanceof StreamFault ? data.message : data.slice(0, 20)))).toEqual([
      'before',
      'an event is longer than is taken',
      'after',
    ]);
    expect(most).toBeLessThan(40 * MEBIBYTE);
  },
);

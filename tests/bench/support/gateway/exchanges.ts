/** What a client of the benchmark sends, and what the provider answers. */

/** Tokens of every answer but the large ones. */
export const TOKENS = { input: 300, output: 40 } as const;
/** US dollars per token. */
export const PRICES = { input: 0.000001, output: 0.000005 } as const;

const PROMPT = 'Read the file that the sanitizer names and say in one sentence what is wrong with it. '.repeat(10);

/** Paths as clients use them, and how a provider gets at the key. */
export const PATHS = { messages: '/v1/messages', chat: '/v1/chat/completions' } as const;
export type Api = keyof typeof PATHS;

export function requestBody(api: Api, model: string, { stream = false, limit = 1000 } = {}): string {
  const tool = { name: 'read', description: 'Reads a file.', schema: { type: 'object', properties: {} } };
  const messages = [{ role: 'user', content: PROMPT }];
  const { name, description, schema } = tool;
  const tools =
    api === 'messages'
      ? [{ name, description, input_schema: schema }]
      : [{ type: 'function', function: { name, description, parameters: schema } }];
  return JSON.stringify({ model, max_tokens: limit, stream, tools, messages });
}

/** About what an SDK sends. */
export function requestHeaders(key: string): Record<string, string> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'bench/1.0',
    'x-stainless-lang': 'js',
    'x-stainless-package-version': '0.70.0',
    'x-stainless-os': 'Linux',
    'x-stainless-arch': 'x64',
    'x-stainless-runtime': 'node',
    'x-stainless-retry-count': '0',
    'anthropic-version': '2023-06-01',
    authorization: `Bearer ${key}`,
  };
}

const WORDS = 'The length is read from the file and used without a check against the size of the buffer. ';

export function wholeAnswer(api: Api, text = WORDS.repeat(4)): string {
  const { input, output } = TOKENS;
  if (api === 'messages') {
    return JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'stub-1',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    });
  }
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'stub-1',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
}

/** The events of a stream; `deltas` of them carry text. */
export function events(api: Api, deltas: number, text = WORDS): string[] {
  const { input, output } = TOKENS;
  if (api === 'messages') {
    const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stub-1', content: [] };
    return [
      event('message_start', { message: { ...message, usage: { input_tokens: input, output_tokens: 1 } } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...Array<string>(deltas).fill(event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } }),
      event('message_stop', {}),
    ];
  }
  const chunk = (data: object) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stub-1', ...data })}\n\n`;
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
    ...Array<string>(deltas).fill(chunk({ choices: [{ index: 0, delta: { content: text } }] })),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

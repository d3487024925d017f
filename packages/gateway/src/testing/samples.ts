/** Answers of the four protocols as providers send them, all with the same tokens: 100 input (40 of them from a cache), 20 output. */

const anthropicUsage = {
  input_tokens: 60,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 40,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};

const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const chunk = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

export const anthropic = {
  path: '/v1/messages?beta=true',
  request: { model: 'the-model', max_tokens: 1000, messages: [{ role: 'user', content: 'h\u00e9' }] },
  answer: `{ "id":"msg_1","type":"message", "role":"assistant","model":"served-model","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":${JSON.stringify({ ...anthropicUsage, output_tokens: 20 })}}\n`,
  events: [
    event('message_start', {
      message: { id: 'msg_1', model: 'served-model', usage: { ...anthropicUsage, output_tokens: 1 } },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hi "usage":{"output_tokens":9}' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } }),
    event('message_stop', {}),
  ],
} as const;

const chatUsage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 40 },
};
const chatChunk = { id: 'c1', object: 'chat.completion.chunk', model: 'served-model', system_fingerprint: 'fp_1' };

export const chat = {
  path: '/v1/chat/completions',
  request: {
    model: 'the-model',
    max_completion_tokens: 1000,
    store: false,
    messages: [{ role: 'user', content: 'h\u00e9' }],
  },
  answer: `{"id":"c1","object":"chat.completion","model":"served-model","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":${JSON.stringify(chatUsage)},"system_fingerprint":"fp_1"}`,
  events: [
    chunk({ ...chatChunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'hi' } }], usage: null }),
    chunk({ ...chatChunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }),
    chunk({ ...chatChunk, choices: [], usage: chatUsage }),
    'data: [DONE]\n\n',
  ],
} as const;

const responsesUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120,
};
const response = { id: 'resp_1', object: 'response', model: 'served-model' };

export const responses = {
  path: '/v1/responses',
  request: { model: 'the-model', max_output_tokens: 1000, store: false, input: 'h\u00e9' },
  answer: JSON.stringify({ ...response, status: 'completed', output: [], usage: responsesUsage }, null, 2),
  events: [
    event('response.created', { sequence_number: 0, response: { ...response, status: 'in_progress', usage: null } }),
    event('response.output_text.delta', { sequence_number: 1, item_id: 'm', output_index: 0, delta: 'hi' }),
    event('response.completed', {
      sequence_number: 2,
      response: { ...response, status: 'completed', usage: responsesUsage },
    }),
  ],
} as const;

const geminiUsage = {
  promptTokenCount: 100,
  cachedContentTokenCount: 40,
  candidatesTokenCount: 15,
  thoughtsTokenCount: 5,
  totalTokenCount: 120,
};
const candidates = [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }];

export const gemini = {
  path: '/v1beta/models/the-model:generateContent',
  streamPath: '/v1beta/models/the-model:streamGenerateContent?alt=sse',
  request: { contents: [{ role: 'user', parts: [{ text: 'h\u00e9' }] }], generationConfig: { maxOutputTokens: 1000 } },
  answer: JSON.stringify({ candidates, usageMetadata: geminiUsage, modelVersion: 'served-model' }),
  events: [
    chunk({
      candidates,
      usageMetadata: { promptTokenCount: 100, totalTokenCount: 100 },
      modelVersion: 'served-model',
    }).replaceAll('\n', '\r\n'),
    chunk({ candidates, usageMetadata: geminiUsage, modelVersion: 'served-model' }).replaceAll('\n', '\r\n'),
  ],
} as const;

/** What each of the samples costs: 60 input, 40 cache read, 20 output, in nano-dollars. */
export const SAMPLE_COST = 60n * 1000n + 40n * 100n + 20n * 2000n;

import { USAGE } from './golden-replies.ts';

/** One answer as providers of each protocol stream it: thoughts, text in two pieces, two tools, the second without input. */

const named = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const plain = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

const { output_tokens, ...anthropicInput } = USAGE.anthropic;
const block = (index: number, content_block: object) => named('content_block_start', { index, content_block });
const blockDelta = (index: number, delta: object) => named('content_block_delta', { index, delta });

const anthropic = [
  named('message_start', {
    message: {
      id: 'r1',
      type: 'message',
      role: 'assistant',
      model: 'served',
      usage: { ...anthropicInput, output_tokens: 1 },
    },
  }),
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  named('ping', {}),
  blockDelta(0, { type: 'thinking_delta', thinking: 'hm' }),
  blockDelta(0, { type: 'signature_delta', signature: 'SIG' }),
  named('content_block_stop', { index: 0 }),
  block(1, { type: 'text', text: '' }),
  blockDelta(1, { type: 'text_delta', text: 'h\u00e9' }),
  blockDelta(1, { type: 'text_delta', text: '\n"' }),
  named('content_block_stop', { index: 1 }),
  block(2, { type: 'tool_use', id: 'c1', name: 'read', input: {} }),
  blockDelta(2, { type: 'input_json_delta', partial_json: '{"path"' }),
  blockDelta(2, { type: 'input_json_delta', partial_json: ':"a"}' }),
  named('content_block_stop', { index: 2 }),
  block(3, { type: 'tool_use', id: 'c2', name: 'list', input: {} }),
  blockDelta(3, { type: 'input_json_delta', partial_json: '' }),
  named('content_block_stop', { index: 3 }),
  named('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens, output_tokens_details: USAGE.anthropic.output_tokens_details },
  }),
  named('message_stop', {}),
];

const chunk = (delta: object, finish_reason: string | null = null) =>
  plain({
    id: 'r1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'served',
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
const callChunk = (index: number, call: object) => chunk({ tool_calls: [{ index, ...call }] });

const chat = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'hm' }),
  chunk({ content: 'h\u00e9' }),
  chunk({ content: '\n"' }),
  callChunk(0, { id: 'c1', type: 'function', function: { name: 'read', arguments: '' } }),
  callChunk(0, { function: { arguments: '{"path"' } }),
  callChunk(0, { function: { arguments: ':"a"}' } }),
  callChunk(1, { id: 'c2', type: 'function', function: { name: 'list', arguments: '' } }),
  chunk({}, 'tool_calls'),
  plain({ id: 'r1', object: 'chat.completion.chunk', created: 7, model: 'served', choices: [], usage: USAGE.chat }),
  'data: [DONE]\n\n',
];

let sequence = 0;
const event = (type: string, data: object) => named(type, { sequence_number: sequence++, ...data });
const response = (status: string, usage: object | null = null) => ({
  response: {
    id: 'r1',
    object: 'response',
    created_at: 7,
    model: 'served',
    status,
    error: null,
    incomplete_details: null,
    usage,
  },
});
const reasoning = { type: 'reasoning', id: 'rs_1' };
const message = { type: 'message', id: 'msg_1', role: 'assistant' };
const functionCall = (call_id: string, name: string, input: string) => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: input,
});

const responses = [
  event('response.created', response('in_progress')),
  event('response.in_progress', response('in_progress')),
  event('response.output_item.added', { output_index: 0, item: { ...reasoning, summary: [] } }),
  event('response.reasoning_summary_part.added', {
    output_index: 0,
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  }),
  event('response.reasoning_summary_text.delta', { output_index: 0, summary_index: 0, delta: 'hm' }),
  event('response.reasoning_summary_text.done', { output_index: 0, summary_index: 0, text: 'hm' }),
  event('response.output_item.done', {
    output_index: 0,
    item: { ...reasoning, summary: [], encrypted_content: 'ENC' },
  }),
  event('response.output_item.added', { output_index: 1, item: { ...message, content: [] } }),
  event('response.content_part.added', { output_index: 1, content_index: 0, part: { type: 'output_text', text: '' } }),
  event('response.output_text.delta', { output_index: 1, content_index: 0, delta: 'h\u00e9' }),
  event('response.output_text.delta', { output_index: 1, content_index: 0, delta: '\n"' }),
  event('response.content_part.done', {
    output_index: 1,
    content_index: 0,
    part: { type: 'output_text', text: 'h\u00e9\n"' },
  }),
  event('response.output_item.done', { output_index: 1, item: message }),
  event('response.output_item.added', { output_index: 2, item: functionCall('c1', 'read', '') }),
  event('response.function_call_arguments.delta', { output_index: 2, delta: '{"path"' }),
  event('response.function_call_arguments.delta', { output_index: 2, delta: ':"a"}' }),
  event('response.output_item.done', { output_index: 2, item: functionCall('c1', 'read', '{"path":"a"}') }),
  event('response.output_item.added', { output_index: 3, item: functionCall('c2', 'list', '') }),
  event('response.output_item.done', { output_index: 3, item: functionCall('c2', 'list', '{}') }),
  event('response.completed', response('completed', USAGE.responses)),
];

export const STREAMS = {
  'anthropic-messages': anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
} as const;

/** An error within a stream that had begun, as providers of each protocol tell it. */
export const STREAM_ERRORS = {
  'anthropic-messages': named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  'openai-chat': plain({ error: { message: 'Overloaded', type: 'server_error', code: 'server_is_overloaded' } }),
  'openai-responses': named('response.failed', {
    response: { id: 'r1', status: 'failed', error: { code: 'server_is_overloaded', message: 'Overloaded' } },
  }),
} as const;

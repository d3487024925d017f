/**
 * The same answers as providers of each protocol give them, whole and as streams. What a client of another protocol is told
 * is the answer of its own protocol here, but for what that has no words for.
 */

export interface Golden {
  readonly 'anthropic-messages': object;
  readonly 'openai-chat': object;
  readonly 'openai-responses': object;
}

/** 60 new input, 40 from a cache, 20 output, 5 of them reasoning. */
export const USAGE = {
  anthropic: {
    input_tokens: 60,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 40,
    output_tokens: 20,
    output_tokens_details: { thinking_tokens: 5 },
  },
  chat: {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
  responses: {
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens_details: { reasoning_tokens: 5 },
  },
} as const;

function anthropic(content: object[], stop: string, sequence: string | null = null): object {
  const head = { id: 'r1', type: 'message', role: 'assistant', model: 'served' };
  return { ...head, content, stop_reason: stop, stop_sequence: sequence, usage: USAGE.anthropic };
}

function chat(message: object, finish: string): object {
  const said = { role: 'assistant', content: null, ...message };
  const choices = [{ index: 0, message: said, finish_reason: finish }];
  return { id: 'r1', object: 'chat.completion', created: 7, model: 'served', choices, usage: USAGE.chat };
}

function responses(output: object[], incomplete?: string): object {
  const status = incomplete === undefined ? 'completed' : 'incomplete';
  const why = incomplete === undefined ? null : { reason: incomplete };
  const head = { id: 'r1', object: 'response', created_at: 7, model: 'served', error: null };
  return { ...head, status, incomplete_details: why, output, usage: USAGE.responses };
}

const said = (text: string) => ({ type: 'text', text });
const output = (text: string) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const used = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const toolCall = (id: string, name: string, input: string) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
const functionCall = (call_id: string, name: string, input: string) => ({
  type: 'function_call',
  status: 'completed',
  call_id,
  name,
  arguments: input,
});

/** Answers without thoughts, which every protocol says its own way. */
export const REPLIES: Readonly<Record<string, Golden>> = {
  'text to its end': {
    'anthropic-messages': anthropic([said('h\u00e9 "q"\n')], 'end_turn'),
    'openai-chat': chat({ content: 'h\u00e9 "q"\n' }, 'stop'),
    'openai-responses': responses([output('h\u00e9 "q"\n')]),
  },
  'text and two tools at a time, one without input': {
    'anthropic-messages': anthropic(
      [said('both'), used('c1', 'read', { path: 'a' }), used('c2', 'list', {})],
      'tool_use',
    ),
    'openai-chat': chat(
      { content: 'both', tool_calls: [toolCall('c1', 'read', '{"path":"a"}'), toolCall('c2', 'list', '{}')] },
      'tool_calls',
    ),
    'openai-responses': responses([
      output('both'),
      functionCall('c1', 'read', '{"path":"a"}'),
      functionCall('c2', 'list', '{}'),
    ]),
  },
  'text that met the output limit': {
    'anthropic-messages': anthropic([said('cut')], 'max_tokens'),
    'openai-chat': chat({ content: 'cut' }, 'length'),
    'openai-responses': responses([output('cut')], 'max_output_tokens'),
  },
  'text that was stopped for its content': {
    'anthropic-messages': anthropic([said('no')], 'refusal'),
    'openai-chat': chat({ content: 'no' }, 'content_filter'),
    'openai-responses': responses([output('no')], 'content_filter'),
  },
};

/** Text that met a stop sequence: only Anthropic's protocol says so, to others it ended. */
export const STOPPED = anthropic([said('a')], 'stop_sequence', 'X');

/** A refusal in its own words: Anthropic's protocol says it as text, with the reason why the answer ended. */
export const REFUSED: Golden = {
  'anthropic-messages': anthropic([said('I will not')], 'refusal'),
  'openai-chat': chat({ refusal: 'I will not' }, 'stop'),
  'openai-responses': responses([
    { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not' }] },
  ]),
};

/** Thoughts before a tool call, as each provider seals them. */
export const THOUGHT: Golden = {
  'anthropic-messages': anthropic(
    [{ type: 'thinking', thinking: 'hm', signature: 'SIG' }, used('c1', 'read', { path: 'a' })],
    'tool_use',
  ),
  'openai-chat': chat({ reasoning: 'hm', tool_calls: [toolCall('c1', 'read', '{"path":"a"}')] }, 'tool_calls'),
  'openai-responses': responses([
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'ENC' },
    functionCall('c1', 'read', '{"path":"a"}'),
  ]),
};

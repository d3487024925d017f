/** What agents send, in the shape of their current releases, and what it becomes for a provider of another protocol. */

const PNG = 'iVBORw0KGgo=';
const IMAGE = `data:image/png;base64,${PNG}`;
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };

export const CLAUDE_CODE = {
  model: 'the-model',
  max_tokens: 32000,
  system: [
    { type: 'text', text: 'You are', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'an agent.' },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'look', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'SIG' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
        { type: 'tool_use', id: 't2', name: 'read', input: { path: 'b' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: 'text of a' },
        {
          type: 'tool_result',
          tool_use_id: 't2',
          is_error: false,
          content: [
            { type: 'text', text: 'picture b' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          ],
        },
        { type: 'text', text: 'and now?' },
      ],
    },
  ],
  tools: [{ name: 'read', description: 'Reads.', input_schema: SCHEMA, cache_control: { type: 'ephemeral' } }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  metadata: { user_id: 'u' },
  thinking: { type: 'adaptive' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'max' },
  temperature: 1,
  stream: true,
} as const;

const CHAT_CALL = (id: string, path: string) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: JSON.stringify({ path }) },
});

export const CLAUDE_CODE_AS_CHAT = {
  model: 'the-model',
  max_tokens: 32000,
  messages: [
    { role: 'system', content: 'You are\n\nan agent.' },
    { role: 'user', content: 'look' },
    { role: 'assistant', content: 'I look.', tool_calls: [CHAT_CALL('t1', 'a'), CHAT_CALL('t2', 'b')] },
    { role: 'tool', tool_call_id: 't1', content: 'text of a' },
    { role: 'tool', tool_call_id: 't2', content: 'picture b' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'From the result of t2:' },
        { type: 'image_url', image_url: { url: IMAGE } },
        { type: 'text', text: 'and now?' },
      ],
    },
  ],
  tools: [{ type: 'function', function: { name: 'read', description: 'Reads.', parameters: SCHEMA } }],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  stream: true,
  temperature: 1,
};

export const CLAUDE_CODE_AS_RESPONSES = {
  model: 'the-model',
  max_output_tokens: 32000,
  instructions: 'You are\n\nan agent.',
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'look' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
    { type: 'function_call', call_id: 't1', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call', call_id: 't2', name: 'read', arguments: '{"path":"b"}' },
    { type: 'function_call_output', call_id: 't1', output: 'text of a' },
    {
      type: 'function_call_output',
      call_id: 't2',
      output: [
        { type: 'input_text', text: 'picture b' },
        { type: 'input_image', image_url: IMAGE, detail: 'auto' },
      ],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'and now?' }] },
  ],
  tools: [{ type: 'function', name: 'read', description: 'Reads.', parameters: SCHEMA, strict: false }],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  stream: true,
  reasoning: { effort: 'high', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  store: false,
};

const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' };

export const CODEX = {
  model: 'the-model',
  instructions: 'You are Codex.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox.' }] },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'fix' },
        { type: 'input_image', image_url: IMAGE, detail: 'high' },
      ],
    },
    { type: 'reasoning', id: 'r', summary: [], content: null, encrypted_content: 'ENC' },
    {
      type: 'function_call',
      id: 'f',
      call_id: 'c1',
      name: 'shell',
      arguments: '{"command":["ls"]}',
      status: 'completed',
    },
    { type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'function_call', call_id: 'c3', name: 'get', namespace: 'mcp__docs', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'a.c' },
    { type: 'custom_tool_call_output', call_id: 'c2', output: 'ok' },
    { type: 'function_call_output', call_id: 'c3', output: [{ type: 'input_image', image_url: IMAGE }] },
  ],
  tools: [
    { type: 'function', name: 'shell', description: 'Runs.', strict: false, parameters: SCHEMA },
    { type: 'custom', name: 'apply_patch', description: 'Edits.', format: GRAMMAR },
    {
      type: 'namespace',
      name: 'mcp__docs',
      description: 'Docs.',
      tools: [{ type: 'function', name: 'get', parameters: SCHEMA }],
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'k',
  client_metadata: { a: 'b' },
  text: { verbosity: 'low' },
  store: false,
  stream: true,
} as const;

const PATCH_SCHEMA = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
const PATCH_WORDS = 'Edits.\n\nThe input has this format: start: "*** Begin Patch"';
const CACHED = { cache_control: { type: 'ephemeral' } };
const SOURCE = { type: 'base64', media_type: 'image/png', data: PNG };

export const CODEX_AS_ANTHROPIC = {
  model: 'the-model',
  system: [
    { type: 'text', text: 'You are Codex.' },
    { type: 'text', text: 'Sandbox.', ...CACHED },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'fix' },
        { type: 'image', source: SOURCE, ...CACHED },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'c1', name: 'shell', input: { command: ['ls'] } },
        { type: 'tool_use', id: 'c2', name: 'apply_patch', input: { input: '*** Begin Patch' } },
        { type: 'tool_use', id: 'c3', name: 'mcp__docs__get', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'a.c' }] },
        { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'ok' }] },
        { type: 'tool_result', tool_use_id: 'c3', content: [{ type: 'image', source: SOURCE }], ...CACHED },
      ],
    },
  ],
  tools: [
    { name: 'shell', description: 'Runs.', input_schema: SCHEMA },
    { name: 'apply_patch', description: PATCH_WORDS, input_schema: PATCH_SCHEMA },
    { name: 'mcp__docs__get', description: 'Docs.', input_schema: SCHEMA },
  ],
  tool_choice: { type: 'auto' },
  stream: true,
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort: 'medium' },
};

export const CODEX_AS_CHAT = {
  model: 'the-model',
  messages: [
    { role: 'system', content: 'You are Codex.\n\nSandbox.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'fix' },
        { type: 'image_url', image_url: { url: IMAGE, detail: 'high' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'shell', arguments: '{"command":["ls"]}' } },
        { id: 'c2', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** Begin Patch"}' } },
        { id: 'c3', type: 'function', function: { name: 'mcp__docs__get', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a.c' },
    { role: 'tool', tool_call_id: 'c2', content: 'ok' },
    { role: 'tool', tool_call_id: 'c3', content: 'see the next message' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'From the result of c3:' },
        { type: 'image_url', image_url: { url: IMAGE } },
      ],
    },
  ],
  tools: [
    { type: 'function', function: { name: 'shell', description: 'Runs.', parameters: SCHEMA } },
    { type: 'function', function: { name: 'apply_patch', description: PATCH_WORDS, parameters: PATCH_SCHEMA } },
    { type: 'function', function: { name: 'mcp__docs__get', description: 'Docs.', parameters: SCHEMA } },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  stream: true,
};

export const OPENCODE = {
  model: 'the-model',
  max_tokens: 32000,
  messages: [
    { role: 'system', content: 'You are opencode.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: IMAGE } },
      ],
    },
    { role: 'assistant', content: 'I look.', tool_calls: [CHAT_CALL('t1', 'a'), CHAT_CALL('t:2', 'b')] },
    { role: 'tool', tool_call_id: 't1', content: 'text of a' },
    { role: 'tool', tool_call_id: 't:2', content: '' },
    { role: 'system', content: 'Go on.' },
  ],
  tools: [{ type: 'function', function: { name: 'read', description: 'Reads.', parameters: SCHEMA } }],
  tool_choice: 'required',
  stop: 'X',
  temperature: 0,
  reasoning_effort: 'high',
  seed: 1,
  user: 'u',
  n: 1,
  stream: true,
  stream_options: { include_usage: true },
} as const;

export const OPENCODE_AS_ANTHROPIC = {
  model: 'the-model',
  max_tokens: 32000,
  system: [{ type: 'text', text: 'You are opencode.', ...CACHED }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', source: SOURCE, ...CACHED },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
        { type: 'tool_use', id: 't_2', name: 'read', input: { path: 'b' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'text of a' }] },
        { type: 'tool_result', tool_use_id: 't_2' },
        { type: 'text', text: 'Go on.', ...CACHED },
      ],
    },
  ],
  tools: [{ name: 'read', description: 'Reads.', input_schema: SCHEMA }],
  tool_choice: { type: 'any' },
  stream: true,
  temperature: 0,
  stop_sequences: ['X'],
  // No thinking: it would take neither a temperature nor a tool that has to be called.
  output_config: { effort: 'high' },
};

import { anthropic, chat, gemini, responses } from './samples.ts';

const TOOL = {
  name: 'bash',
  description: 'd',
  input_schema: { type: 'object' },
  cache_control: { type: 'ephemeral', ttl: '1h' },
};
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/** What the agents that are bundled send, in the shape of their current releases. */
export const AGENT_REQUESTS: readonly (readonly [what: string, path: string, body: object])[] = [
  [
    'Claude Code',
    anthropic.path,
    {
      ...anthropic.request,
      system: [{ type: 'text', text: 'You are', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'redacted_thinking', data: 'x' },
            {
              type: 'tool_use',
              id: 't1',
              name: 'bash',
              input: { type: 'web_search_20250305', source: { type: 'url' } },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: false,
              content: [
                { type: 'text', text: 'x' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
                { type: 'tool_reference', tool_name: 'a' },
              ],
            },
          ],
        },
      ],
      tools: [
        TOOL,
        { type: 'custom', ...TOOL },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'e' },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      metadata: { user_id: 'u' },
      thinking: { type: 'adaptive' },
      context_management: {
        edits: [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }],
      },
      output_config: { effort: 'high' },
      temperature: 1,
      top_k: 5,
      top_p: 0.9,
      stop_sequences: ['x'],
      service_tier: 'standard_only',
      stream: true,
    },
  ],
  [
    'Codex',
    responses.path,
    {
      ...responses.request,
      instructions: 'You are',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'hi' }] },
        { role: 'user', content: [{ type: 'input_image', image_url: PIXEL, detail: 'high' }] },
        {
          type: 'reasoning',
          id: 'r',
          summary: [{ type: 'summary_text', text: 's' }],
          content: null,
          encrypted_content: 'e',
        },
        { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{"type":"web_search"}' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [
            { type: 'input_text', text: 'x' },
            { type: 'input_image', image_url: PIXEL },
          ],
        },
        { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: 'p' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
        { type: 'local_shell_call', call_id: 'c', status: 'completed', action: { type: 'exec', command: ['ls'] } },
        {
          type: 'message',
          role: 'assistant',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'x', annotations: [] }],
        },
      ],
      tools: [
        {
          type: 'function',
          name: 'shell',
          strict: false,
          parameters: { type: 'object', properties: { type: { type: 'string' } } },
        },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
        { type: 'local_shell' },
        { type: 'namespace', name: 'mcp', description: 'd', tools: [{ type: 'function', name: 'f' }] },
        { type: 'tool_search', execution: 'client', parameters: {} },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'high', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {} } },
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
      service_tier: 'auto',
      previous_response_id: null,
      stream: true,
    },
  ],
  [
    'OpenCode',
    chat.path,
    {
      ...chat.request,
      messages: [
        { role: 'system', content: 'You are' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: PIXEL } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 't', content: 'x' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      tool_choice: 'auto',
      reasoning_effort: 'high',
      response_format: { type: 'json_object' },
      stream: true,
      stream_options: { include_usage: true },
      n: 1,
      temperature: 0,
      top_p: 1,
      seed: 1,
      stop: ['x'],
      user: 'u',
      verbosity: 'low',
      prompt_cache_key: 'k',
    },
  ],
  [
    'Gemini CLI',
    gemini.streamPath,
    {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        {
          role: 'model',
          parts: [
            { text: 't', thought: true },
            { functionCall: { name: 'f', args: { fileData: 1 } }, thoughtSignature: 's' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'i', name: 'f', response: { output: 'x' } } }] },
      ],
      systemInstruction: { role: 'user', parts: [{ text: 'You are' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      generationConfig: {
        temperature: 1,
        topP: 0.95,
        topK: 64,
        maxOutputTokens: 1000,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
        responseMimeType: 'application/json',
        responseJsonSchema: {},
      },
      safetySettings: [],
    },
  ],
];

import type { ModelSwitch } from '@ssebench/contracts/model-switches';

const ask = (content: unknown) => ({
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'user', content },
  ],
});
const item = (...input: unknown[]) => ({ input });
const parts = (...list: unknown[]) => ({ contents: [{ parts: list }] });
const config = (more: object) => ({ generationConfig: { maxOutputTokens: 1000, ...more } });
const URL_ = 'https://example.org/x.png';

/** What is refused: the addition to a plain request, the field that is named, the switch or kind of setting that allows it. */
export type Case = readonly [added: object, field: string, code: ModelSwitch | 'field' | 'kind'];

/** By protocol. */
export const REFUSED: Readonly<Record<string, readonly Case[]>> = {
  'anthropic-messages': [
    [
      {
        tools: [
          { name: 'a', input_schema: {} },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
      },
      'tools[1].type',
      'web_search',
    ],
    [{ tools: [{ type: 'web_fetch_20260318', name: 'web_fetch' }] }, 'tools[0].type', 'web_fetch'],
    [{ tools: [{ type: 'code_execution_20260521', name: 'code_execution' }] }, 'tools[0].type', 'code_execution'],
    [{ tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }, 'tools[0].type', 'mcp'],
    [{ tools: [{ type: 'advisor_20260301' }] }, 'tools[0].type', 'provider_tools'],
    [{ tools: [{ type: 'some_new_tool_20270101' }] }, 'tools[0].type', 'kind'],
    [{ mcp_servers: [{ type: 'url', url: URL_ }] }, 'mcp_servers', 'mcp'],
    [{ container: 'c1' }, 'container', 'code_execution'],
    [{ service_tier: 'priority' }, 'service_tier', 'service_tier'],
    [{ speed: 'fast' }, 'speed', 'service_tier'],
    [{ inference_geo: 'us' }, 'inference_geo', 'service_tier'],
    [{ thread: { id: 't' } }, 'thread', 'stored'],
    [{ fallbacks: [{ model: 'other' }] }, 'fallbacks', 'field'],
    [{ some_new_field: 1 }, 'some_new_field', 'field'],
    [{ constructor: 1 }, 'constructor', 'field'],
    [{ context_management: { edits: [{ type: 'compact_20260112' }] } }, 'context_management.edits[0].type', 'kind'],
    [ask([{ type: 'image', source: { type: 'url', url: URL_ } }]), 'messages[1].content[0].source.type', 'url_content'],
    [
      ask([{ type: 'document', source: { type: 'file', file_id: 'f' } }]),
      'messages[1].content[0].source.type',
      'file_id',
    ],
    [
      ask([
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'url', url: URL_ } }] },
      ]),
      'messages[1].content[0].content[0].source.type',
      'url_content',
    ],
    [
      ask([{ type: 'document', source: { type: 'content', content: [{ type: 'image', source: { type: 'file' } }] } }]),
      'messages[1].content[0].source.content[0].source.type',
      'file_id',
    ],
    [
      ask([{ type: 'server_tool_use', name: 'web_search', id: 'x', input: {} }]),
      'messages[1].content[0].name',
      'web_search',
    ],
    [ask([{ type: 'container_upload', file_id: 'f' }]), 'messages[1].content[0].type', 'code_execution'],
    [ask([{ type: 'new_block' }]), 'messages[1].content[0].type', 'kind'],
    [ask([{ text: 'no type' }]), 'messages[1].content[0].type', 'kind'],
    [
      ask([{ type: 'tool_addition', tool: { type: 'tool_definition', definition: { type: 'web_search_20250305' } } }]),
      'messages[1].content[0].tool.definition.type',
      'web_search',
    ],
  ],
  'openai-chat': [
    [{ web_search_options: {} }, 'web_search_options', 'web_search'],
    [{ n: 2 }, 'n', 'choices'],
    [{ store: true }, 'store', 'stored'],
    [{ service_tier: 'flex' }, 'service_tier', 'service_tier'],
    [{ modalities: ['text', 'audio'] }, 'modalities[1]', 'provider_tools'],
    [{ plugins: [{ id: 'web' }] }, 'plugins', 'field'],
    [{ tools: [{ type: 'mcp' }] }, 'tools[0].type', 'kind'],
    [ask([{ type: 'image_url', image_url: { url: URL_ } }]), 'messages[1].content[0].image_url.url', 'url_content'],
    [ask([{ type: 'image_url', image_url: URL_ }]), 'messages[1].content[0].image_url', 'url_content'],
    [ask({ type: 'image_url', image_url: URL_ }), 'messages[1].content.image_url', 'url_content'],
    [ask([{ type: 'file', file: { file_id: 'f' } }]), 'messages[1].content[0].file.file_id', 'file_id'],
    [ask([{ type: 'input_audio', input_audio: { data: '' } }]), 'messages[1].content[0].type', 'kind'],
  ],
  'openai-responses': [
    [{ tools: [{ type: 'web_search', external_web_access: false }] }, 'tools[0].type', 'web_search'],
    [{ tools: [{ type: 'web_search_preview_2025_03_11' }] }, 'tools[0].type', 'web_search'],
    [{ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'tools[0].type', 'code_execution'],
    [{ tools: [{ type: 'mcp', server_url: URL_ }] }, 'tools[0].type', 'mcp'],
    [{ tools: [{ type: 'image_generation' }] }, 'tools[0].type', 'provider_tools'],
    [
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] },
      'tools[0].tools[0].type',
      'web_search',
    ],
    [
      { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
      'tools[0].environment.type',
      'code_execution',
    ],
    [{ tools: [{ type: 'shell' }] }, 'tools[0].environment', 'code_execution'],
    [{ tools: [{ type: 'tool_search' }] }, 'tools[0].execution', 'provider_tools'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', 'stored'],
    [{ conversation: 'c' }, 'conversation', 'stored'],
    [{ prompt: { id: 'p' } }, 'prompt', 'stored'],
    [{ store: true }, 'store', 'stored'],
    [{ background: true }, 'background', 'background'],
    [{ service_tier: 'priority' }, 'service_tier', 'service_tier'],
    [{ reasoning: { mode: 'pro' } }, 'reasoning.mode', 'service_tier'],
    [{ context_management: [{ type: 'compaction' }] }, 'context_management', 'field'],
    [item({ type: 'item_reference', id: 'i' }), 'input[0].type', 'stored'],
    [
      item({ role: 'user', content: [{ type: 'input_image', image_url: URL_ }] }),
      'input[0].content[0].image_url',
      'url_content',
    ],
    [
      item({ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }),
      'input[0].content[0].file_id',
      'file_id',
    ],
    [
      item({ role: 'user', content: [{ type: 'input_file', file_url: URL_ }] }),
      'input[0].content[0].file_url',
      'url_content',
    ],
    [
      item({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: URL_ }] }),
      'input[0].output[0].image_url',
      'url_content',
    ],
    [item({ type: 'mcp_call' }), 'input[0].type', 'mcp'],
    [item({ type: 'new_item' }), 'input[0].type', 'kind'],
    [item({ type: 'additional_tools', tools: [{ type: 'mcp' }] }), 'input[0].tools[0].type', 'mcp'],
  ],
  gemini: [
    [{ tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch', 'web_search'],
    [{ tools: [{ google_search: {} }] }, 'tools[0].google_search', 'web_search'],
    [{ tools: { google_search: {} } }, 'tools.google_search', 'web_search'],
    [{ tools: [{ urlContext: {} }] }, 'tools[0].urlContext', 'web_fetch'],
    [{ tools: [{ codeExecution: {} }] }, 'tools[0].codeExecution', 'code_execution'],
    [{ tools: [{ mcpServers: [] }] }, 'tools[0].mcpServers', 'mcp'],
    [{ tools: [{ googleMaps: {} }] }, 'tools[0].googleMaps', 'provider_tools'],
    [{ cachedContent: 'cachedContents/x' }, 'cachedContent', 'stored'],
    [{ store: true }, 'store', 'stored'],
    [{ service_tier: 'priority' }, 'service_tier', 'service_tier'],
    [config({ candidateCount: 2 }), 'generationConfig.candidateCount', 'choices'],
    [config({ responseModalities: ['IMAGE'] }), 'generationConfig.responseModalities[0]', 'provider_tools'],
    [config({ newField: 2 }), 'generationConfig.newField', 'field'],
    [parts({ fileData: { fileUri: URL_ } }), 'contents[0].parts[0].fileData', 'url_content'],
    [parts({ file_data: { file_uri: URL_ } }), 'contents[0].parts[0].file_data', 'url_content'],
    [
      parts({ functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: URL_ } }] } }),
      'contents[0].parts[0].functionResponse.parts[0].fileData',
      'url_content',
    ],
    [parts({ executableCode: {} }), 'contents[0].parts[0].executableCode', 'code_execution'],
    [{ newField: 1 }, 'newField', 'field'],
  ],
};

import {
  any,
  document,
  items,
  kinds,
  members,
  object,
  only,
  type Rule,
  rules,
  switched,
  switchedKind,
} from './allow.ts';

/** What holds a picture's or document's bytes. By URL or file id the provider would fetch it. */
const source = kinds(
  rules({
    base64: any,
    text: any,
    content: members(rules({ content: (check, node) => items(block)(check, node) })),
    url: switchedKind('url_content'),
    file: switchedKind('file_id'),
  }),
);

const serverTool: Rule = (check, node) => {
  const { view } = check;
  const name = view.member(node, 'name');
  const tool = view.string(name) ?? '';
  if (/^tool_search_tool_(regex|bm25)$/.test(tool)) return;
  const code = tool.startsWith('web_search') ? 'web_search' : tool.startsWith('web_fetch') ? 'web_fetch' : undefined;
  const executes = tool.includes('code_execution');
  check.at('name', name, (inner) => inner.refuse(code ?? (executes ? 'code_execution' : 'provider_tools'), tool));
};

const withContent = members(rules({ content: (check, node) => items(block)(check, node) }));

/** Blocks of messages. Those of provider-side tools are only there when the tool was. */
const BLOCKS = rules({
  text: any,
  image: (check, node) => {
    check.images++;
    members(rules({ source }))(check, node);
  },
  document: (check, node) => {
    document(check, node);
    members(rules({ source }))(check, node);
  },
  search_result: any,
  thinking: any,
  redacted_thinking: any,
  tool_use: any,
  tool_result: withContent,
  tool_reference: any,
  server_tool_use: serverTool,
  tool_search_tool_result: any,
  compaction: any,
  tool_addition: members(
    rules({
      tool: kinds(
        rules({
          tool_reference: any,
          tool_definition: members(rules({ definition: (check, node) => tool(check, node) })),
          mcp_tool_reference: switchedKind('mcp'),
          mcp_toolset_reference: switchedKind('mcp'),
        }),
      ),
    }),
  ),
  tool_removal: any,
  web_search_tool_result: switchedKind('web_search'),
  web_fetch_tool_result: switchedKind('web_fetch'),
  code_execution_tool_result: switchedKind('code_execution'),
  bash_code_execution_tool_result: switchedKind('code_execution'),
  text_editor_code_execution_tool_result: switchedKind('code_execution'),
  container_upload: switchedKind('code_execution'),
  mcp_tool_use: switchedKind('mcp'),
  mcp_tool_result: switchedKind('mcp'),
  mcp_tool_listing: switchedKind('mcp'),
  advisor_tool_result: switchedKind('provider_tools'),
});
const block: Rule = kinds(BLOCKS);

/** Tools that the client runs, and the search among the request's own tools. */
const tool: Rule = kinds(
  rules({
    custom: any,
    bash: any,
    text_editor: any,
    memory: any,
    computer: any,
    tool_search_tool_regex: any,
    tool_search_tool_bm25: any,
    web_search: switchedKind('web_search'),
    web_fetch: switchedKind('web_fetch'),
    code_execution: switchedKind('code_execution'),
    mcp_toolset: switchedKind('mcp'),
    advisor: switchedKind('provider_tools'),
  }),
  any,
);

/** The fields of `POST /v1/messages` and of `count_tokens`. */
export const ANTHROPIC_REQUEST: Rule = object(
  rules({
    model: any,
    max_tokens: any,
    messages: items(members(rules({ content: items(block) }))),
    system: items(block),
    stream: any,
    temperature: any,
    top_p: any,
    top_k: any,
    stop_sequences: any,
    thinking: any,
    tools: items(tool),
    tool_choice: any,
    metadata: any,
    cache_control: any,
    // Compaction bills a second answer beside the one that the output limit bounds.
    context_management: object(rules({ edits: items(kinds(rules({ clear_tool_uses: any, clear_thinking: any }))) })),
    output_config: object(rules({ effort: any, format: any, task_budget: any })),
    output_format: any,
    diagnostics: any,
    service_tier: only('service_tier', '"auto"', '"standard_only"'),
    // A faster or placed answer has another price.
    speed: only('service_tier', '"standard"'),
    inference_geo: switched('service_tier'),
    mcp_servers: switched('mcp'),
    container: switched('code_execution'),
    thread: switched('stored'),
  }),
);

import {
  all,
  any,
  dataUrl,
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

const SERVICE_TIER = only('service_tier', '"auto"', '"default"');
const STORE = only('stored', 'false');

/** Fields that both APIs share. */
const SHARED = {
  model: any,
  metadata: any,
  parallel_tool_calls: any,
  prompt_cache_key: any,
  prompt_cache_options: any,
  prompt_cache_retention: any,
  safety_identifier: any,
  service_tier: SERVICE_TIER,
  store: STORE,
  stream: any,
  temperature: any,
  tool_choice: any,
  top_logprobs: any,
  top_p: any,
  user: any,
} as const;

/** A part that is a file: its bytes, never its id or its address. */
const file = all(
  document,
  members(rules({ file_id: switched('file_id', 'file_id'), file_url: switched('url_content', 'url'), file_data: any })),
);

const chatPart: Rule = kinds(
  rules({
    text: any,
    refusal: any,
    // OpenAI has an object, some servers take the bare URL.
    image_url: members(
      rules({
        image_url: (check, node) =>
          check.view.kind(node) === 'object' ? members(rules({ url: dataUrl }))(check, node) : dataUrl(check, node),
        file_id: switched('file_id', 'file_id'),
      }),
    ),
    file: members(rules({ file })),
  }),
);

/** The fields of `POST /v1/chat/completions`, and those that servers of other models add to sampling and reasoning. */
export const CHAT_REQUEST: Rule = object(
  rules({
    ...SHARED,
    messages: items(members(rules({ content: items(chatPart), audio: switched('stored') }))),
    frequency_penalty: any,
    function_call: any,
    functions: any,
    logit_bias: any,
    logprobs: any,
    max_completion_tokens: any,
    max_tokens: any,
    modalities: items(only('provider_tools', '"text"')),
    n: only('choices', '1'),
    presence_penalty: any,
    reasoning_effort: any,
    response_format: any,
    seed: any,
    stop: any,
    stream_options: any,
    tools: items(kinds(rules({ function: any, custom: any }))),
    verbosity: any,
    web_search_options: switched('web_search'),
    chat_template_kwargs: any,
    enable_thinking: any,
    min_p: any,
    reasoning: any,
    repetition_penalty: any,
    thinking: any,
    thinking_budget: any,
    top_k: any,
  }),
);

const responsesPart: Rule = kinds(
  rules({
    input_text: any,
    output_text: any,
    text: any,
    refusal: any,
    summary_text: any,
    reasoning_text: any,
    encrypted_content: any,
    input_image: members(rules({ image_url: dataUrl, file_id: switched('file_id', 'file_id') })),
    input_file: file,
  }),
);

const withParts = members(rules({ content: items(responsesPart), output: items(responsesPart) }));
const withTools = members(rules({ tools: items((check, node) => responsesTool(check, node)) }));

/** Where the command of a shell tool runs: with the client, or in a container of the provider's. */
const shell = members(
  rules({ environment: kinds(rules({ local: any, container_auto: switchedKind('code_execution') })) }),
);

const toolSearch: Rule = (check, node) => {
  const execution = check.view.member(node, 'execution');
  const where = check.view.string(execution) ?? 'server';
  if (where !== 'client') check.at('execution', execution, (inner) => inner.refuse('provider_tools', where));
};

const hasEnvironment =
  (rule: Rule): Rule =>
  (check, node) => {
    const environment = check.view.member(node, 'environment');
    if (environment >= 0 && check.view.kind(environment) !== 'null') return rule(check, node);
    check.at('environment', environment, (inner) => inner.refuse('code_execution', 'none'));
  };

const responsesTool: Rule = kinds(
  rules({
    function: any,
    custom: any,
    local_shell: any,
    apply_patch: any,
    namespace: withTools,
    tool_search: toolSearch,
    shell: hasEnvironment(shell),
    web_search: switchedKind('web_search'),
    web_search_preview: switchedKind('web_search'),
    code_interpreter: switchedKind('code_execution'),
    programmatic_tool_calling: switchedKind('code_execution'),
    mcp: switchedKind('mcp'),
    file_search: switchedKind('provider_tools'),
    image_generation: switchedKind('provider_tools'),
    computer: switchedKind('provider_tools'),
    computer_use_preview: switchedKind('provider_tools'),
  }),
);

/** Items of the input: what the client and the model said. Those of provider-side tools are only there when the tool was. */
const ITEMS = rules({
  message: withParts,
  agent_message: withParts,
  reasoning: withParts,
  function_call: any,
  function_call_output: withParts,
  custom_tool_call: any,
  custom_tool_call_output: withParts,
  local_shell_call: any,
  local_shell_call_output: any,
  shell_call: members(
    rules({ environment: kinds(rules({ local: any, container_reference: switchedKind('code_execution') })) }),
  ),
  shell_call_output: any,
  apply_patch_call: any,
  apply_patch_call_output: any,
  tool_search_call: toolSearch,
  tool_search_output: all(toolSearch, withTools),
  additional_tools: withTools,
  compaction: any,
  compaction_summary: any,
  context_compaction: any,
  item_reference: switchedKind('stored'),
  web_search_call: switchedKind('web_search'),
  code_interpreter_call: switchedKind('code_execution'),
  program: switchedKind('code_execution'),
  program_output: switchedKind('code_execution'),
  mcp_call: switchedKind('mcp'),
  mcp_list_tools: switchedKind('mcp'),
  mcp_approval_request: switchedKind('mcp'),
  mcp_approval_response: switchedKind('mcp'),
  file_search_call: switchedKind('provider_tools'),
  image_generation_call: switchedKind('provider_tools'),
  computer_call: switchedKind('provider_tools'),
  computer_call_output: switchedKind('provider_tools'),
});

/** The fields of `POST /v1/responses`. */
export const RESPONSES_REQUEST: Rule = object(
  rules({
    ...SHARED,
    input: items(kinds(ITEMS, withParts)),
    instructions: any,
    tools: items(responsesTool),
    reasoning: object(
      rules({
        effort: any,
        summary: any,
        generate_summary: any,
        context: any,
        mode: only('service_tier', '"standard"'),
      }),
    ),
    text: any,
    include: any,
    stream_options: any,
    max_output_tokens: any,
    truncation: any,
    client_metadata: any,
    max_tool_calls: any,
    background: only('background', 'false'),
    previous_response_id: switched('stored'),
    conversation: switched('stored'),
    prompt: switched('stored'),
  }),
);

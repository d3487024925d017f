import type { GatewayModel } from '../../server/ports.ts';
import type {
  AssistantPart,
  Content,
  Conversation,
  Format,
  Tool,
  ToolChoice,
  Turn,
  UserPart,
} from '../conversation.ts';
import { type Json, jsonText, Raw } from '../json-text.ts';
import { refuseSetting } from '../settings.ts';
import { effortLevel, outputLimit, sampling, takesEffort } from '../traits.ts';
import { writtenItem } from './items.ts';

/** The least that the API takes as an output limit. */
const LEAST_OUTPUT = 16;

/** A request for the Responses API. @throws SettingRefused */
export function writeResponsesRequest(conversation: Conversation, model: GatewayModel): string {
  const { settings, hints, tools } = conversation;
  if (settings.topK !== undefined) refuseSetting('topK');
  if (settings.stops.length > 0) refuseSetting('stops');
  const [first, ...rest] = conversation.turns;
  const system = first?.role === 'system' ? first.content.map(({ text }) => text).join('\n\n') : undefined;
  const turns = system === undefined ? conversation.turns : rest;
  const limit = outputLimit(settings.limit, model);
  const thinks = takesEffort(model);
  return jsonText({
    model: conversation.model,
    max_output_tokens: limit === undefined ? undefined : Math.max(limit, LEAST_OUTPUT),
    instructions: system,
    input: turns.flatMap(items),
    tools: tools.length === 0 ? undefined : writtenTools(tools),
    tool_choice: tools.length === 0 ? undefined : toolChoice(settings.toolChoice),
    parallel_tool_calls: tools.length === 0 ? undefined : settings.parallel,
    stream: conversation.stream || undefined,
    temperature: sampling(settings.temperature, model),
    top_p: sampling(settings.topP, model),
    reasoning: thinks ? reasoning(hints) : undefined,
    include: thinks ? ['reasoning.encrypted_content'] : undefined,
    text: text(settings.format, model.provider === 'openai' ? hints.verbosity : undefined),
    prompt_cache_key: hints.cacheKey,
    store: false,
  });
}

function reasoning({ effort, showReasoning }: Conversation['hints']): Json {
  const level = effortLevel(effort);
  if (level === undefined && !showReasoning) return undefined;
  return { effort: level, summary: showReasoning ? 'auto' : undefined };
}

function text(format: Format | undefined, verbosity: string | undefined): Json {
  return format === undefined && verbosity === undefined ? undefined : { format: format && written(format), verbosity };
}

function written(format: Format): Json {
  if (format.kind === 'json_object') return { type: format.kind };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', name, description, schema: new Raw(schema), strict };
}

function items(turn: Turn): Json[] {
  switch (turn.role) {
    case 'system':
      return [{ type: 'message', role: 'developer', content: turn.content.map(part) }];
    case 'assistant':
      return turn.content.filter(known).map((part) => writtenItem(part, {}));
    case 'user':
      return userItems(turn.content);
  }
}

/** Thoughts are told by what the provider encrypted; without it there is nothing that it takes. */
function known(part: AssistantPart): boolean {
  return part.kind !== 'reasoning' || part.seal?.by === 'openai-responses';
}

function userItems(content: readonly UserPart[]): Json[] {
  const results = content.filter((part) => part.kind === 'result');
  const said = content.filter((part) => part.kind !== 'result');
  const outputs = results.map(({ callId, content, failed, custom }) => ({
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: callId,
    output: output(content, failed),
  }));
  return said.length === 0 ? outputs : [...outputs, { type: 'message', role: 'user', content: said.map(part) }];
}

function output(content: readonly Content[], failed: boolean): Json {
  const [only] = content;
  if (only === undefined) return failed ? 'error' : '';
  return content.length === 1 && only.kind === 'text' ? only.text : content.map(part);
}

function part(content: Content): Json {
  if (content.kind === 'text') return { type: 'input_text', text: content.text };
  if (content.kind === 'image')
    return { type: 'input_image', image_url: content.url, detail: content.detail ?? 'auto' };
  return { type: 'input_file', file_data: content.url, filename: content.name ?? 'file' };
}

/** Tools of a namespace stand together in it. */
function writtenTools(tools: readonly Tool[]): Json[] {
  const spaces = new Map<string, Json[]>();
  const all: Json[] = [];
  for (const each of tools) {
    if (each.namespace === undefined) {
      all.push(tool(each));
      continue;
    }
    const inner = spaces.get(each.namespace) ?? [];
    if (inner.length === 0) all.push({ type: 'namespace', name: each.namespace, tools: inner });
    spaces.set(each.namespace, inner);
    inner.push(tool(each));
  }
  return all;
}

function tool({ name, description, schema, custom, strict }: Tool): Json {
  if (custom) return { type: 'custom', name, description, format: custom.grammar && new Raw(custom.grammar) };
  // Without a word about it the API would make the schema strict.
  const parameters = new Raw(schema ?? '{"type":"object","properties":{}}');
  return { type: 'function', name, description, parameters, strict: strict ?? false };
}

function toolChoice(choice: ToolChoice | undefined): Json {
  if (typeof choice !== 'object') return choice;
  return { type: choice.custom ? 'custom' : 'function', name: choice.name, namespace: choice.namespace };
}

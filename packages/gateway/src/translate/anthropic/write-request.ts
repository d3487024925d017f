import type { GatewayModel } from '../../server/ports.ts';
import type {
  AssistantPart,
  Content,
  Conversation,
  Reasoning,
  Settings,
  Tool,
  ToolChoice,
  UserPart,
} from '../conversation.ts';
import { dataUrlParts } from '../data-url.ts';
import { inputObject, type Json, jsonText, Raw } from '../json-text.ts';
import { sealText } from '../seal.ts';
import { refuseSetting } from '../settings.ts';
import { adapts, effortLevel, outputLimit, sampling } from '../traits.ts';

type Block = { [name: string]: Json };
interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** A request for Anthropic's Messages API. @throws TranslationError */
export function writeAnthropicRequest(conversation: Conversation, model: GatewayModel): string {
  const { settings, hints } = conversation;
  const [system, messages] = turns(conversation);
  const effort = adapts(model) ? effortLevel(hints.effort) : undefined;
  if (model.provider === 'anthropic') markCache(system, messages);
  return jsonText({
    model: conversation.model,
    max_tokens: outputLimit(settings.limit, model),
    system: system.length === 0 ? undefined : system,
    messages: messages.map(({ role, content }) => ({ role, content })),
    tools: conversation.tools.length === 0 ? undefined : conversation.tools.map(tool),
    tool_choice: conversation.tools.length === 0 ? undefined : toolChoice(settings),
    stream: conversation.stream || undefined,
    temperature: sampling(settings.temperature, model),
    top_p: sampling(settings.topP, model),
    top_k: settings.topK,
    stop_sequences: settings.stops.length === 0 ? undefined : settings.stops,
    thinking: effort !== undefined && mayThink(settings) ? { type: 'adaptive', display: 'summarized' } : undefined,
    output_config: outputConfig(effort, settings),
  });
}

function turns({ turns }: Conversation): [system: Block[], messages: Message[]] {
  const system: Block[] = [];
  const messages: Message[] = [];
  for (const turn of turns) {
    if (turn.role === 'system' && messages.length === 0) {
      system.push(...written(turn.content, contentBlock));
      continue;
    }
    // An instruction in the middle is the user's: there is no other place that keeps its order.
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const blocks = turn.role === 'assistant' ? written(turn.content, assistantBlock) : written(turn.content, userBlock);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) messages.push({ role, content: blocks });
  }
  for (const { content } of messages) content.sort((a, b) => rank(a) - rank(b));
  return [system, messages];
}

/** Results of tools come first in a message. */
function rank(block: Block): number {
  return block['type'] === 'tool_result' ? 0 : 1;
}

function written<Part>(parts: readonly Part[], block: (part: Part) => Block | undefined): Block[] {
  return parts.map(block).filter((made) => made !== undefined);
}

/** A tool's id in the characters that Anthropic takes. */
function toolId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

function userBlock(part: UserPart): Block | undefined {
  if (part.kind !== 'result') return contentBlock(part);
  const content = written(part.content, contentBlock);
  return {
    type: 'tool_result',
    tool_use_id: toolId(part.callId),
    content: content.length === 0 ? undefined : content,
    is_error: part.failed || undefined,
  };
}

/** Empty text is none: it would be refused. */
function contentBlock(part: Content): Block | undefined {
  if (part.kind === 'text') return part.text === '' ? undefined : { type: 'text', text: part.text };
  const parts = dataUrlParts(part.url);
  const source = parts
    ? { type: 'base64', media_type: parts.mediaType, data: parts.data }
    : { type: 'url', url: part.url };
  return part.kind === 'image' ? { type: 'image', source } : { type: 'document', source, title: part.name };
}

function assistantBlock(part: AssistantPart): Block | undefined {
  if (part.kind === 'reasoning') return thinkingBlock(part);
  if (part.kind !== 'call') return part.text === '' ? undefined : { type: 'text', text: part.text };
  return { type: 'tool_use', id: toolId(part.id), name: part.name, input: inputObject(part.input) };
}

/** Thoughts without Anthropic's own seal would be refused. */
function thinkingBlock({ text, seal }: Reasoning): Block | undefined {
  if (seal?.by !== 'anthropic-messages') return undefined;
  const data = sealText(seal, 'anthropic-messages');
  return seal.form === 'redacted'
    ? { type: 'redacted_thinking', data }
    : { type: 'thinking', thinking: text, signature: data };
}

/**
 * OpenAI's protocols cache what they can by themselves; Anthropic's has to be told: what was said up to here is looked for
 * in the cache at the next call, and what was said up to the last call at this one.
 */
function markCache(system: Block[], messages: readonly Message[]): void {
  const asked = messages.filter(({ role }) => role === 'user').slice(-2);
  const last = [system.at(-1), ...asked.map(({ content }) => content.at(-1))];
  for (const block of last) if (block !== undefined) block['cache_control'] = { type: 'ephemeral' };
}

function tool({ name, description, schema, strict }: Tool): Json {
  const input = new Raw(schema ?? '{"type":"object","properties":{}}');
  return { name, description, input_schema: input, strict: strict === true ? true : undefined };
}

function toolChoice({ toolChoice: choice, parallel }: Settings): Json {
  const one = parallel === false ? true : undefined;
  if (choice === undefined && one === undefined) return undefined;
  if (choice === 'none') return { type: 'none' };
  return { ...chosen(choice), disable_parallel_tool_use: one };
}

function chosen(choice: Exclude<ToolChoice, 'none'> | undefined): Block {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : 'auto' };
}

/** Thinking takes no sampling of one's own, and no tool that has to be called. */
function mayThink({ temperature, topP, topK, toolChoice: choice }: Settings): boolean {
  const sampled = (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || topK !== undefined;
  return !sampled && (choice === undefined || choice === 'auto' || choice === 'none');
}

function outputConfig(effort: string | undefined, { format }: Settings): Json {
  if (format?.kind === 'json_object') refuseSetting('format');
  const schema = format && { type: 'json_schema', schema: new Raw(format.schema) };
  return effort === undefined && schema === undefined ? undefined : { effort, format: schema };
}

import type { GatewayModel } from '../../server/ports.ts';
import type {
  AssistantPart,
  Call,
  Content,
  Conversation,
  Format,
  Reasoning,
  Result,
  Tool,
  ToolChoice,
  Turn,
} from '../conversation.ts';
import { type Json, jsonText, Raw } from '../json-text.ts';
import { refuseSetting } from '../settings.ts';
import { effortLevel, outputLimit, sampling, takesEffort } from '../traits.ts';
import { EXTRA } from './assistant-parts.ts';

/** A request for Chat Completions. Tools are functions here: custom ones were lowered before. @throws SettingRefused */
export function writeChatRequest(conversation: Conversation, model: GatewayModel): string {
  const { settings, hints, tools } = conversation;
  const openai = model.provider === 'openai';
  if (settings.topK !== undefined && openai) refuseSetting('topK');
  return jsonText({
    model: conversation.model,
    // Servers of others know the older name only.
    [openai ? 'max_completion_tokens' : 'max_tokens']: outputLimit(settings.limit, model),
    messages: instructed(conversation.turns, openai).flatMap((turn) => messages(turn, openai)),
    tools: tools.length === 0 ? undefined : tools.map(tool),
    tool_choice: tools.length === 0 ? undefined : toolChoice(settings.toolChoice),
    parallel_tool_calls: tools.length === 0 ? undefined : settings.parallel,
    stream: conversation.stream || undefined,
    temperature: sampling(settings.temperature, model),
    top_p: sampling(settings.topP, model),
    top_k: settings.topK,
    stop: settings.stops.length === 0 ? undefined : settings.stops,
    response_format: settings.format && format(settings.format),
    reasoning_effort: takesEffort(model) ? effortLevel(hints.effort) : undefined,
    verbosity: openai ? hints.verbosity : undefined,
    prompt_cache_key: openai ? hints.cacheKey : undefined,
  });
}

/** Models of other servers often take one instruction, as the first message: what is told later is the user's then. */
function instructed(turns: readonly Turn[], openai: boolean): readonly Turn[] {
  if (openai) return turns;
  const from = turns.findIndex(({ role }) => role !== 'system');
  const first = turns.slice(0, from < 0 ? turns.length : from);
  const content = first.flatMap((turn) => (turn.role === 'system' ? turn.content : []));
  const rest = turns.slice(first.length);
  const system: Turn[] = content.length === 0 ? [] : [{ role: 'system', content }];
  return [...system, ...rest.map((turn) => (turn.role === 'system' ? { ...turn, role: 'user' as const } : turn))];
}

function messages(turn: Turn, openai: boolean): Json[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: joined(turn.content) }];
    case 'assistant':
      return [assistant(turn.content, openai)];
    case 'user':
      return user(turn.content);
  }
}

/** Servers of others often take a string alone. */
function joined(content: readonly { readonly text: string }[]): string {
  return content.map(({ text }) => text).join('\n\n');
}

function user(content: Extract<Turn, { role: 'user' }>['content']): Json[] {
  const results = content.filter((part) => part.kind === 'result');
  const others = content.filter((part) => part.kind !== 'result');
  const shown = results.flatMap(attached);
  const said = [...shown, ...others];
  const messages = results.map(result);
  return said.length === 0 ? messages : [...messages, { role: 'user', content: userContent(said) }];
}

function userContent(content: readonly Content[]): Json {
  const [only] = content;
  return content.length === 1 && only?.kind === 'text' ? only.text : content.map(part);
}

function result({ callId, content, failed }: Result): Json {
  const text = joined(content.filter((part) => part.kind === 'text'));
  const otherwise = failed ? 'error' : content.length === 0 ? '' : 'see the next message';
  return { role: 'tool', tool_call_id: callId, content: text === '' ? otherwise : text };
}

/** A tool's message holds text alone: its pictures and files follow in the user's. */
function attached({ callId, content }: Result): Content[] {
  const others = content.filter((part) => part.kind !== 'text');
  return others.length === 0 ? [] : [{ kind: 'text', text: `From the result of ${callId}:` }, ...others];
}

function part(content: Content): Json {
  if (content.kind === 'text') return { type: 'text', text: content.text };
  if (content.kind === 'image') return { type: 'image_url', image_url: { url: content.url, detail: content.detail } };
  return { type: 'file', file: { file_data: content.url, filename: content.name ?? 'file' } };
}

function assistant(content: readonly AssistantPart[], openai: boolean): Json {
  const texts = content.filter((part) => part.kind === 'text');
  const refusals = content.filter((part) => part.kind === 'refusal');
  const made = calls(content, openai);
  return {
    role: 'assistant',
    ...(openai ? {} : thoughts(content.filter((part) => part.kind === 'reasoning'))),
    content: texts.length === 0 ? (made.length > 0 || refusals.length > 0 ? null : '') : texts.map(textOf).join(''),
    refusal: refusals.length === 0 ? undefined : refusals.map(textOf).join(''),
    tool_calls: made.length === 0 ? undefined : made,
  };
}

const textOf = ({ text }: { readonly text: string }) => text;

/** A server that showed its thoughts may need them to go on; what another protocol's provider sealed it can't read. */
function thoughts(reasoning: readonly Reasoning[]): { readonly [name: string]: Json } {
  const own = reasoning.filter(({ seal }) => seal === undefined || (seal.by === 'openai-chat' && seal.form !== EXTRA));
  const text = own.map(textOf).join('\n\n');
  const form = own[0]?.seal?.form === 'reasoning' ? 'reasoning' : 'reasoning_content';
  return text === '' ? {} : { [form]: text };
}

function calls(content: readonly AssistantPart[], openai: boolean): Json[] {
  return content.flatMap((part, index) => {
    if (part.kind !== 'call') return [];
    const before = content[index - 1];
    const seal = before?.kind === 'reasoning' && !openai ? before.seal : undefined;
    return [call(part, seal?.by === 'openai-chat' && seal.form === EXTRA ? seal.data : undefined)];
  });
}

/** @param extra what the server said with it and wants back, as JSON text */
function call({ id, name, input }: Call, extra: string | undefined): Json {
  const back = extra === undefined ? undefined : new Raw(extra);
  return { id, type: 'function', function: { name, arguments: input }, [EXTRA]: back };
}

function tool({ name, description, schema, strict }: Tool): Json {
  const parameters = schema === undefined ? undefined : new Raw(schema);
  return { type: 'function', function: { name, description, parameters, strict: strict === true ? true : undefined } };
}

function toolChoice(choice: ToolChoice | undefined): Json {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

function format(wanted: Format): Json {
  if (wanted.kind === 'json_object') return { type: wanted.kind };
  const { name, description, schema, strict } = wanted;
  return { type: 'json_schema', json_schema: { name, description, schema: new Raw(schema), strict } };
}

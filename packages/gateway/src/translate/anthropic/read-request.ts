import type {
  AssistantPart,
  Content,
  Conversation,
  Format,
  Hints,
  Text,
  Tool,
  ToolChoice,
  Turn,
  UserPart,
} from '../conversation.ts';
import { dataUrl } from '../data-url.ts';
import { type Fields, TranslationError } from '../fields.ts';
import { sealFrom } from '../seal.ts';

/** Anthropic's names of the settings. */
export const ANTHROPIC_FIELDS: Readonly<Record<keyof Conversation['settings'], string>> = {
  toolChoice: 'tool_choice',
  parallel: 'tool_choice.disable_parallel_tool_use',
  limit: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stops: 'stop_sequences',
  format: 'output_config.format',
};

/** A request of Anthropic's Messages API. @throws TranslationError */
export function readAnthropicRequest(request: Fields): Conversation {
  // Whom it is for, how it is cached, how its context is shortened, what it may cost at most: nothing that another
  // protocol needs to know.
  request.drop('metadata', 'cache_control', 'context_management', 'service_tier', 'speed', 'diagnostics');
  const choice = request.object('tool_choice');
  const output = request.object('output_config');
  const conversation: Conversation = {
    model: request.needed('model'),
    turns: [...system(request), ...request.objects('messages').map(turn)],
    tools: request.objects('tools').map(tool),
    stream: request.boolean('stream') ?? false,
    streamUsage: true,
    settings: {
      toolChoice: choice && toolChoice(choice),
      parallel: choice?.boolean('disable_parallel_tool_use') === true ? false : undefined,
      limit: request.number('max_tokens'),
      temperature: request.number('temperature'),
      topP: request.number('top_p'),
      topK: request.number('top_k'),
      stops: request.strings('stop_sequences'),
      format: format(output?.object('format') ?? request.object('output_format')),
    },
    hints: hints(request.object('thinking'), output),
  };
  choice?.done();
  output?.drop('task_budget').done();
  request.done();
  return conversation;
}

function system(request: Fields): Turn[] {
  const content = texts(request, 'system');
  return content.length === 0 ? [] : [{ role: 'system', content }];
}

function texts(owner: Fields, name: string): Text[] {
  const content = owner.content(name) ?? [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((block) => {
    if (block.needed('type') !== 'text') block.refuse('type');
    return text(block);
  });
}

function text(block: Fields): Text {
  const said: Text = { kind: 'text', text: block.needed('text') };
  block.drop('cache_control', 'citations').done();
  return said;
}

function turn(message: Fields): Turn {
  const role = message.needed('role');
  const content = message.content('content') ?? [];
  const plain: Text[] | undefined = typeof content === 'string' ? [{ kind: 'text', text: content }] : undefined;
  const blocks = typeof content === 'string' ? [] : content;
  message.done();
  if (role === 'user') return { role, content: plain ?? blocks.map(userPart) };
  if (role === 'assistant') return { role, content: plain ?? blocks.map(assistantPart) };
  if (role === 'system') return { role, content: texts(message, 'content') };
  throw new TranslationError('malformed', message.at('role'), 'is none that there is');
}

function userPart(block: Fields): UserPart {
  if (block.needed('type') !== 'tool_result') return contentPart(block);
  const content = block.content('content') ?? [];
  const result: UserPart = {
    kind: 'result',
    callId: block.needed('tool_use_id'),
    content: typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(contentPart),
    failed: block.boolean('is_error') ?? false,
    custom: false,
  };
  block.drop('cache_control').done();
  return result;
}

function contentPart(block: Fields): Content {
  const type = block.needed('type');
  if (type === 'text') return text(block);
  if (type === 'tool_reference') {
    // A tool that a search found: the model knows all tools of a translated request, so the name is enough.
    const named: Text = { kind: 'text', text: block.needed('tool_name') };
    block.drop('cache_control').done();
    return named;
  }
  if (type !== 'image' && type !== 'document') block.refuse('type');
  const source = block.object('source');
  if (source === undefined) throw new TranslationError('malformed', block.at('source'), 'is missing');
  const part = type === 'image' ? image(source) : file(source, block.string('title'));
  source.done();
  block.drop('cache_control', 'citations').done();
  return part;
}

function image(source: Fields): Content {
  return { kind: 'image', url: address(source) };
}

function file(source: Fields, name: string | undefined): Content {
  if (source.string('type') === 'text') {
    source.drop('media_type');
    return { kind: 'text', text: source.needed('data') };
  }
  return { kind: 'file', url: address(source), name };
}

function address(source: Fields): string {
  const type = source.needed('type');
  if (type === 'base64') return dataUrl(source.needed('media_type'), source.needed('data'));
  if (type === 'url') return source.needed('url');
  return source.refuse('type');
}

function assistantPart(block: Fields): AssistantPart {
  const type = block.needed('type');
  const part = type === 'text' ? text(block) : (thought(type, block) ?? call(type, block));
  block.done();
  return part;
}

function thought(type: string, block: Fields): AssistantPart | undefined {
  const own = 'anthropic-messages';
  if (type === 'thinking') {
    const seal = sealFrom(block.string('signature'), own, 'signature');
    return { kind: 'reasoning', text: block.string('thinking') ?? '', seal };
  }
  if (type !== 'redacted_thinking') return undefined;
  return { kind: 'reasoning', text: '', seal: sealFrom(block.needed('data'), own, 'redacted') };
}

function call(type: string, block: Fields): AssistantPart {
  if (type !== 'tool_use') block.refuse('type');
  block.drop('cache_control', 'caller');
  return {
    kind: 'call',
    id: block.needed('id'),
    name: block.needed('name'),
    custom: false,
    input: block.json('input') ?? '{}',
  };
}

/** A block of an answer. */
export const anthropicReplyPart = assistantPart;

function tool(definition: Fields): Tool {
  if ((definition.string('type') ?? 'custom') !== 'custom') definition.refuse('type');
  const read: Tool = {
    name: definition.needed('name'),
    description: definition.string('description'),
    schema: definition.json('input_schema'),
    custom: false,
    strict: definition.boolean('strict'),
  };
  definition.drop('cache_control', 'defer_loading', 'eager_input_streaming', 'input_examples').done();
  return read;
}

function toolChoice(choice: Fields): ToolChoice {
  const type = choice.needed('type');
  if (type === 'tool') return { name: choice.needed('name'), custom: false };
  if (type === 'any') return 'required';
  return type === 'auto' || type === 'none' ? type : choice.refuse('type');
}

function format(wanted: Fields | undefined): Format | undefined {
  if (wanted === undefined) return undefined;
  if (wanted.needed('type') !== 'json_schema') wanted.refuse('type');
  const schema = wanted.json('schema') ?? '{}';
  wanted.done();
  return { kind: 'json_schema', name: 'answer', description: undefined, schema, strict: true };
}

function hints(thinking: Fields | undefined, output: Fields | undefined): Hints {
  const type = thinking?.string('type');
  const budget = thinking?.number('budget_tokens');
  const shown = type !== undefined && type !== 'disabled' && thinking?.string('display') !== 'omitted';
  return {
    effort: output?.string('effort') ?? (budget === undefined ? undefined : effortOf(budget)),
    showReasoning: shown,
    verbosity: undefined,
    cacheKey: undefined,
  };
}

/** The effort that comes closest to a number of tokens to think with. */
function effortOf(budget: number): string {
  if (budget <= 4096) return 'low';
  return budget <= 16384 ? 'medium' : 'high';
}

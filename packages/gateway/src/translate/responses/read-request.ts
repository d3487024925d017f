import type {
  AssistantPart,
  Content,
  Conversation,
  Format,
  Text,
  Tool,
  ToolChoice,
  Turn,
  UserPart,
} from '../conversation.ts';
import { type Fields, TranslationError } from '../fields.ts';
import { replyItem } from './items.ts';

/** The Responses API's names of the settings. */
export const RESPONSES_FIELDS: Readonly<Record<keyof Conversation['settings'], string>> = {
  toolChoice: 'tool_choice',
  parallel: 'parallel_tool_calls',
  limit: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stops: 'stop',
  format: 'text.format',
};

/** A request of OpenAI's Responses API. @throws TranslationError */
export function readResponsesRequest(request: Fields): Conversation {
  // Whom it is for, how it is cached, what is served by whom. Thoughts come back encrypted whether asked for or not.
  request.drop('metadata', 'client_metadata', 'user', 'safety_identifier', 'prompt_cache_options');
  request.drop('prompt_cache_retention', 'service_tier', 'store', 'stream_options', 'max_tool_calls', 'background');
  request.dropIf('truncation', '"disabled"').dropIf('top_logprobs', '0');
  const included = request.strings('include').find((name) => name !== 'reasoning.encrypted_content');
  if (included !== undefined) throw new TranslationError('untranslatable', 'include', included);
  const reasoning = request.object('reasoning');
  const text = request.object('text');
  const conversation: Conversation = {
    model: request.needed('model'),
    turns: [...instructions(request), ...input(request)],
    tools: request.objects('tools').flatMap((fields) => tools(fields)),
    stream: request.boolean('stream') ?? false,
    streamUsage: true,
    settings: {
      toolChoice: toolChoice(request),
      parallel: request.boolean('parallel_tool_calls'),
      limit: request.number('max_output_tokens'),
      temperature: request.number('temperature'),
      topP: request.number('top_p'),
      topK: undefined,
      stops: [],
      format: format(text?.object('format')),
    },
    hints: {
      effort: reasoning?.string('effort'),
      showReasoning: (reasoning?.string('summary') ?? reasoning?.string('generate_summary')) !== undefined,
      verbosity: text?.string('verbosity'),
      cacheKey: request.string('prompt_cache_key'),
    },
  };
  reasoning?.drop('context', 'mode', 'generate_summary').done();
  text?.done();
  request.done();
  return conversation;
}

function instructions(request: Fields): Turn[] {
  const text = request.string('instructions');
  return text === undefined || text === '' ? [] : [{ role: 'system', content: [{ kind: 'text', text }] }];
}

function input(request: Fields): Turn[] {
  const content = request.content('input') ?? [];
  if (typeof content === 'string') return [{ role: 'user', content: [{ kind: 'text', text: content }] }];
  const turns = new Turns();
  for (const item of content) {
    const type = item.string('type') ?? 'message';
    if (type === 'message') message(turns, item);
    else if (type === 'function_call_output' || type === 'custom_tool_call_output') turns.result(result(type, item));
    else turns.said(replyItem(type, item));
    item.drop('id', 'status').done();
  }
  return turns.all;
}

/** Items in order become turns: what the model said and called in a row is one, and the results in a row are one. */
class Turns {
  readonly all: Turn[] = [];
  #model: AssistantPart[] | undefined;
  #results: UserPart[] | undefined;

  other(turn: Turn): void {
    this.#model = undefined;
    this.#results = undefined;
    this.all.push(turn);
  }

  said(parts: readonly AssistantPart[]): void {
    if (this.#model === undefined) {
      const content: AssistantPart[] = [];
      this.other({ role: 'assistant', content });
      this.#model = content;
    }
    this.#model.push(...parts);
  }

  result(part: UserPart): void {
    if (this.#results === undefined) {
      const content: UserPart[] = [];
      this.other({ role: 'user', content });
      this.#results = content;
    }
    this.#results.push(part);
  }
}

function message(turns: Turns, item: Fields): void {
  const role = item.needed('role');
  if (role === 'assistant') turns.said(replyItem('message', item));
  else if (role === 'user') turns.other({ role, content: parts(item, 'content') });
  else if (role === 'system' || role === 'developer') {
    turns.other({ role: 'system', content: parts(item, 'content').map(onlyText(item)) });
  } else item.refuse('role');
}

function onlyText(item: Fields): (part: Content) => Text {
  return (part) => (part.kind === 'text' ? part : item.refuse('content'));
}

function parts(item: Fields, name: string): Content[] {
  const content = item.content(name) ?? [];
  return typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(part);
}

function part(fields: Fields): Content {
  const type = fields.needed('type');
  const read = content(type, fields);
  fields.done();
  return read;
}

function content(type: string, fields: Fields): Content {
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { kind: 'text', text: fields.drop('annotations', 'logprobs').needed('text') };
    case 'input_image':
      return { kind: 'image', url: fields.needed('image_url'), detail: fields.string('detail') };
    case 'input_file': {
      const url = fields.string('file_data') ?? fields.needed('file_url');
      return { kind: 'file', url, name: fields.string('filename') };
    }
    default:
      return fields.refuse('type');
  }
}

function result(type: string, item: Fields): UserPart {
  return {
    kind: 'result',
    callId: item.needed('call_id'),
    content: parts(item.drop('name'), 'output'),
    failed: false,
    custom: type === 'custom_tool_call_output',
  };
}

/** @param space the namespace that it stands in, and what is said of that */
function tools(fields: Fields, space?: { readonly name: string; readonly about: string | undefined }): Tool[] {
  const type = fields.needed('type');
  if (type === 'namespace' && space === undefined) {
    const around = { name: fields.needed('name'), about: fields.string('description') };
    const inner = fields.objects('tools');
    fields.done();
    return inner.flatMap((tool) => tools(tool, around));
  }
  if (type !== 'function' && type !== 'custom') fields.refuse('type');
  const tool: Tool = {
    name: fields.needed('name'),
    namespace: space?.name,
    description:
      [space?.about, fields.string('description')].filter((text) => text !== undefined).join('\n\n') || undefined,
    schema: fields.json('parameters'),
    custom: type === 'custom' && { grammar: fields.json('format') },
    strict: fields.boolean('strict'),
  };
  fields.drop('defer_loading', 'output_schema').done();
  return [tool];
}

function toolChoice(request: Fields): ToolChoice | undefined {
  if (request.kind('tool_choice') === 'string') {
    const word = request.string('tool_choice');
    return word === 'auto' || word === 'none' || word === 'required' ? word : request.refuse('tool_choice');
  }
  const choice = request.object('tool_choice');
  if (choice === undefined) return undefined;
  const type = choice.needed('type');
  if (type !== 'function' && type !== 'custom') choice.refuse('type');
  const chosen = { name: choice.needed('name'), namespace: choice.string('namespace'), custom: type === 'custom' };
  choice.done();
  return chosen;
}

function format(wanted: Fields | undefined): Format | undefined {
  const type = wanted?.needed('type');
  if (wanted === undefined || type === 'text') return undefined;
  if (type === 'json_object') return { kind: type };
  if (type !== 'json_schema') return wanted.refuse('type');
  const read: Format = {
    kind: 'json_schema',
    name: wanted.needed('name'),
    description: wanted.string('description'),
    schema: wanted.json('schema') ?? '{}',
    strict: wanted.boolean('strict'),
  };
  wanted.done();
  return read;
}

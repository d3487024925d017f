import type { Content, Conversation, Format, Result, Text, Tool, ToolChoice, Turn } from '../conversation.ts';
import { type Fields, TranslationError } from '../fields.ts';
import { assistantParts } from './assistant-parts.ts';

/** Chat Completions' names of the settings. */
export const CHAT_FIELDS: Readonly<Record<keyof Conversation['settings'], string>> = {
  toolChoice: 'tool_choice',
  parallel: 'parallel_tool_calls',
  limit: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stops: 'stop',
  format: 'response_format',
};

/** A request of OpenAI's Chat Completions. @throws TranslationError */
export function readChatRequest(request: Fields): Conversation {
  // Whom it is for, how it is cached, what is served by whom; a seed is best effort where there is one.
  request.drop('metadata', 'user', 'safety_identifier', 'prompt_cache_options', 'prompt_cache_retention');
  request.drop('service_tier', 'store', 'seed', 'n', 'modalities');
  request.dropIf('frequency_penalty', '0', '0.0').dropIf('presence_penalty', '0', '0.0').dropIf('logit_bias', '{}');
  request.dropIf('logprobs', 'false').dropIf('top_logprobs', '0').dropIf('repetition_penalty', '1', '1.0');
  const options = request.object('stream_options');
  const reasoning = request.object('reasoning');
  const limits = [request.number('max_completion_tokens'), request.number('max_tokens')];
  const conversation: Conversation = {
    model: request.needed('model'),
    turns: turns(request.objects('messages')),
    tools: request.objects('tools').map(tool),
    stream: request.boolean('stream') ?? false,
    streamUsage: options?.boolean('include_usage') ?? false,
    settings: {
      toolChoice: toolChoice(request),
      parallel: request.boolean('parallel_tool_calls'),
      limit: limits.find((limit) => limit !== undefined),
      temperature: request.number('temperature'),
      topP: request.number('top_p'),
      topK: request.number('top_k'),
      stops: request.strings('stop'),
      format: format(request.object('response_format')),
    },
    hints: {
      effort: request.string('reasoning_effort') ?? reasoning?.string('effort'),
      showReasoning: true,
      verbosity: request.string('verbosity'),
      cacheKey: request.string('prompt_cache_key'),
    },
  };
  options?.drop('include_obfuscation').done();
  reasoning?.drop('summary', 'exclude', 'enabled').done();
  request.done();
  return conversation;
}

function turns(messages: readonly Fields[]): Turn[] {
  const read: Turn[] = [];
  let results: Result[] | undefined;
  for (const message of messages) {
    const role = message.needed('role');
    message.drop('name');
    if (role === 'tool') {
      if (results === undefined) {
        results = [];
        read.push({ role: 'user', content: results });
      }
      results.push(result(message));
    } else {
      results = undefined;
      read.push(turn(role, message));
    }
    message.done();
  }
  return read;
}

function turn(role: string, message: Fields): Turn {
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: parts(message).map(onlyText(message)) };
    case 'user':
      return { role, content: parts(message) };
    case 'assistant':
      return { role, content: assistantParts(message) };
    default:
      return message.refuse('role');
  }
}

function onlyText(message: Fields): (part: Content) => Text {
  return (part) => (part.kind === 'text' ? part : message.refuse('content'));
}

function result(message: Fields): Result {
  return {
    kind: 'result',
    callId: message.needed('tool_call_id'),
    content: parts(message),
    failed: false,
    custom: false,
  };
}

function parts(message: Fields): Content[] {
  const content = message.content('content') ?? [];
  return typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(part);
}

function part(fields: Fields): Content {
  const type = fields.needed('type');
  const read = type === 'text' ? text(fields) : type === 'image_url' ? image(fields) : file(type, fields);
  fields.done();
  return read;
}

function text(fields: Fields): Text {
  return { kind: 'text', text: fields.needed('text') };
}

/** OpenAI has an object, some servers take the bare URL. */
function image(fields: Fields): Content {
  if (fields.kind('image_url') === 'string') return { kind: 'image', url: fields.needed('image_url') };
  const image = fields.object('image_url');
  const url = image?.needed('url');
  if (image === undefined || url === undefined) {
    throw new TranslationError('malformed', fields.at('image_url'), 'is missing');
  }
  const detail = image.string('detail');
  image.done();
  return { kind: 'image', url, detail };
}

function file(type: string, fields: Fields): Content {
  const file = type === 'file' ? fields.object('file') : undefined;
  if (file === undefined) return fields.refuse('type');
  const read: Content = { kind: 'file', url: file.needed('file_data'), name: file.string('filename') };
  file.done();
  return read;
}

function tool(fields: Fields): Tool {
  const type = fields.needed('type');
  const inner = fields.object(type === 'custom' ? type : 'function');
  if (inner === undefined) return fields.refuse('type');
  const read: Tool = {
    name: inner.needed('name'),
    description: inner.string('description'),
    schema: inner.json('parameters'),
    custom: type === 'custom' && { grammar: inner.json('format') },
    strict: inner.boolean('strict'),
  };
  inner.done();
  fields.done();
  return read;
}

function toolChoice(request: Fields): ToolChoice | undefined {
  const kind = request.kind('tool_choice');
  if (kind === 'string') {
    const word = request.string('tool_choice');
    return word === 'auto' || word === 'none' || word === 'required' ? word : request.refuse('tool_choice');
  }
  const choice = request.object('tool_choice');
  if (choice === undefined) return undefined;
  const custom = choice.needed('type') === 'custom';
  const inner = choice.object(custom ? 'custom' : 'function');
  if (inner === undefined) return choice.refuse('type');
  const name = inner.needed('name');
  choice.done();
  return { name, custom };
}

function format(wanted: Fields | undefined): Format | undefined {
  const type = wanted?.needed('type');
  if (wanted === undefined || type === 'text') return undefined;
  if (type === 'json_object') return { kind: type };
  const inner = wanted.object('json_schema');
  if (inner === undefined) return wanted.refuse('type');
  const read: Format = {
    kind: 'json_schema',
    name: inner.needed('name'),
    description: inner.string('description'),
    schema: inner.json('schema') ?? '{}',
    strict: inner.boolean('strict'),
  };
  inner.done();
  return read;
}

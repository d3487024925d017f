import type { ProtocolName } from '../../server/ports.ts';
import { type JsonObject, object, objects, string } from '../json.ts';

/** An answer as a client understands it. */
interface Understood {
  thoughts: string;
  text: string;
  calls: { name: string; input: unknown }[];
  done: 'tools' | 'end' | undefined;
}

/** A client of one protocol, as plain as it can be. */
export interface Client {
  readonly name: ProtocolName;
  readonly path: string;
  readonly streamPath: string;
  /** Offers a shell and `test_patch`. @param said by the user */
  request(said: readonly string[], stream: boolean): JsonObject;
  read(body: string, stream: boolean): Understood;
}

const TOOLS: Readonly<Record<string, JsonObject>> = {
  bash: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  mcp__sse__test_patch: { type: 'object', properties: {} },
};
const tools = Object.entries(TOOLS);
const messages = (said: readonly string[]) => said.map((content) => ({ role: 'user', content }));

/** The data of the events; the last one of Chat Completions is none. */
function events(body: string): JsonObject[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => object(JSON.parse(line.slice('data: '.length))));
}

function joined(list: readonly JsonObject[], member: string): string {
  return list.map((each) => string(each[member])).join('');
}

const anthropic: Client = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  streamPath: '/v1/messages?beta=true',
  request: (said, stream) => ({
    model: 'the-model',
    max_tokens: 1000,
    stream,
    messages: messages(said),
    tools: tools.map(([name, input_schema]) => ({ name, input_schema })),
  }),
  read(body, stream) {
    const content = stream ? anthropicBlocks(events(body)) : objects(object(JSON.parse(body))['content']);
    const stop = /"stop_reason":"(\w+)"/.exec(body)?.[1];
    return {
      thoughts: joined(content, 'thinking'),
      text: joined(content, 'text'),
      calls: content
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name: string(name), input })),
      done: stop === 'tool_use' ? 'tools' : stop === 'end_turn' ? 'end' : undefined,
    };
  },
};

function anthropicBlocks(all: readonly JsonObject[]): JsonObject[] {
  const starts = all.filter(({ type }) => type === 'content_block_start');
  return starts.map(({ index, content_block }) => {
    const deltas = all
      .filter((event) => event['type'] === 'content_block_delta' && event['index'] === index)
      .map(({ delta }) => object(delta));
    const block = object(content_block);
    if (block['type'] === 'tool_use') return { ...block, input: JSON.parse(joined(deltas, 'partial_json') || '{}') };
    return { ...block, text: joined(deltas, 'text'), thinking: joined(deltas, 'thinking') };
  });
}

const chat: Client = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  streamPath: '/v1/chat/completions',
  request: (said, stream) => ({
    model: 'the-model',
    stream,
    messages: messages(said),
    tools: tools.map(([name, parameters]) => ({ type: 'function', function: { name, parameters } })),
  }),
  read(body, stream) {
    const choices = (stream ? events(body) : [object(JSON.parse(body))]).flatMap(({ choices }) => objects(choices));
    const messages = choices.map(({ delta, message }) => object(delta ?? message));
    const parts = messages.flatMap(({ tool_calls }) => objects(tool_calls)).map((call) => object(call['function']));
    const named = parts.filter(({ name }) => name !== undefined);
    const finish = choices.map(({ finish_reason }) => finish_reason).find((reason) => typeof reason === 'string');
    return {
      thoughts: joined(messages, 'reasoning_content'),
      text: joined(messages, 'content'),
      calls: named.map(({ name }) => ({ name: string(name), input: JSON.parse(joined(parts, 'arguments')) })),
      done: finish === 'tool_calls' ? 'tools' : finish === 'stop' ? 'end' : undefined,
    };
  },
};

const responses: Client = {
  name: 'openai-responses',
  path: '/v1/responses',
  streamPath: '/v1/responses',
  request: (said, stream) => ({
    model: 'the-model',
    stream,
    store: false,
    instructions: 'You are an agent.',
    input: messages(said),
    tools: tools.map(([name, parameters]) => ({ type: 'function', name, parameters })),
  }),
  read(body, stream) {
    const all = stream ? events(body) : [];
    const last = stream ? object(all.at(-1)?.['response']) : object(JSON.parse(body));
    const output = objects(last['output']);
    const streamed = (type: string) =>
      joined(
        all.filter((event) => event['type'] === type),
        'delta',
      );
    const texts = output.filter(({ type }) => type === 'message').flatMap(({ content }) => objects(content));
    const summaries = output.flatMap(({ summary }) => objects(summary));
    const calls = output.filter(({ type }) => type === 'function_call');
    return {
      thoughts: stream ? streamed('response.reasoning_summary_text.delta') : joined(summaries, 'text'),
      text: stream ? streamed('response.output_text.delta') : joined(texts, 'text'),
      calls: calls.map(({ name, arguments: input }) => ({ name: string(name), input: JSON.parse(string(input)) })),
      done: last['status'] !== 'completed' ? undefined : calls.length > 0 ? 'tools' : 'end',
    };
  },
};

const gemini: Client = {
  name: 'gemini',
  path: '/v1beta/models/the-model:generateContent',
  streamPath: '/v1beta/models/the-model:streamGenerateContent?alt=sse',
  request: (said) => ({
    contents: said.map((text) => ({ role: 'user', parts: [{ text }] })),
    tools: [{ functionDeclarations: tools.map(([name, parametersJsonSchema]) => ({ name, parametersJsonSchema })) }],
  }),
  read(body, stream) {
    const candidates = (stream ? events(body) : [object(JSON.parse(body))]).flatMap(({ candidates }) =>
      objects(candidates),
    );
    const parts = candidates.flatMap(({ content }) => objects(object(content)['parts']));
    const calls = parts.filter(({ functionCall }) => functionCall).map(({ functionCall }) => object(functionCall));
    const stopped = candidates.at(-1)?.['finishReason'] === 'STOP';
    return {
      thoughts: joined(
        parts.filter(({ thought }) => thought === true),
        'text',
      ),
      text: joined(
        parts.filter(({ thought }) => thought !== true),
        'text',
      ),
      calls: calls.map(({ name, args }) => ({ name: string(name), input: args })),
      done: !stopped ? undefined : calls.length > 0 ? 'tools' : 'end',
    };
  },
};

export const CLIENTS = [anthropic, chat, responses, gemini] as const;

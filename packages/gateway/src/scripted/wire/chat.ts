import { inputText, type JsonObject, object, objects, pieces, sseData, string, textOf } from '../json.ts';
import type { ScriptedReply } from '../reply.ts';
import type { Wire } from './wire.ts';

/** OpenAI Chat Completions, with thoughts as compatible servers tell them. */
export const chatWire: Wire = {
  read(body) {
    const messages = objects(body['messages']);
    const format = object(body['response_format']);
    return {
      protocol: 'openai-chat',
      model: string(body['model']),
      stream: body['stream'] === true,
      tools: objects(body['tools']).map((tool) => {
        const custom = tool['type'] === 'custom';
        const definition = object(tool[custom ? 'custom' : 'function']);
        return {
          name: string(definition['name']),
          namespace: undefined,
          kind: custom ? 'custom' : 'function',
          schema: object(definition['parameters']),
        };
      }),
      text: messages
        .filter(({ role }) => role !== 'assistant' && role !== 'tool')
        .map(({ content }) => textOf(content))
        .join('\n'),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
      schema: format['type'] === 'json_schema' ? object(object(format['json_schema'])['schema']) : undefined,
      streamUsage: object(body['stream_options'])['include_usage'] === true,
    };
  },

  whole(reply) {
    const { think, say, calls } = reply;
    const message = {
      role: 'assistant',
      content: say ?? null,
      ...(think === undefined ? {} : { reasoning_content: think }),
      ...(calls.length === 0 ? {} : { tool_calls: toolCalls(reply) }),
    };
    return {
      ...head(reply, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
      usage: usage(reply),
    };
  },

  events(reply, asked) {
    const { think = '', say = '' } = reply;
    const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
      sseData({
        ...head(reply, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason }],
        ...(asked.streamUsage ? { usage: null } : {}),
      });
    const calls = toolCalls(reply).flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] }),
      ...pieces(call.function.arguments).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    ]);
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(think).map((text) => chunk({ reasoning_content: text })),
      ...pieces(say).map((text) => chunk({ content: text })),
      ...calls,
      chunk({}, finishReason(reply)),
      ...(asked.streamUsage
        ? [sseData({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: usage(reply) })]
        : []),
      'data: [DONE]\n\n',
    ];
  },

  error(status, message) {
    return { error: { message, type: status === 429 ? 'rate_limit_error' : 'server_error', param: null, code: null } };
  },
};

function toolCalls({ number, calls }: ScriptedReply) {
  return calls.map(({ name, input }, index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: inputText(input) },
  }));
}

function head({ number, model }: ScriptedReply, kind: string): JsonObject {
  return { id: `chatcmpl-${number}`, object: kind, created: 1_700_000_000, model };
}

function finishReason({ calls }: ScriptedReply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function usage({ usage: { input, cacheRead, output } }: ScriptedReply): JsonObject {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

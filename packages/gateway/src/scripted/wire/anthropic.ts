import { inputText, type JsonObject, object, objects, pieces, sseEvent, string, textOf } from '../json.ts';
import type { ScriptedReply } from '../reply.ts';
import type { Wire } from './wire.ts';

const SIGNATURE = 'c2NyaXB0ZWQ=';

/** Anthropic Messages. */
export const anthropicWire: Wire = {
  read(body) {
    const messages = objects(body['messages']);
    const results = messages.flatMap(({ content }) => objects(content)).filter(({ type }) => type === 'tool_result');
    return {
      protocol: 'anthropic-messages',
      model: string(body['model']),
      stream: body['stream'] === true,
      tools: objects(body['tools']).map((tool) => ({
        name: string(tool['name']),
        namespace: undefined,
        kind: 'function',
        schema: object(tool['input_schema']),
      })),
      text: [body['system'], ...messages.filter(({ role }) => role !== 'assistant').map(({ content }) => content)]
        .map(textOf)
        .join('\n'),
      results: results.map(({ content }) => textOf(content)),
      schema: schemaOf(body),
      streamUsage: true,
    };
  },

  whole(reply) {
    const content = blocks(reply).map(({ block, full }) => ({ ...block, ...full }));
    return { ...head(reply), content, stop_reason: stopReason(reply), usage: usage(reply, reply.usage.output) };
  },

  events(reply) {
    const message = { ...head(reply), content: [], stop_reason: null, usage: usage(reply, 1) };
    return [
      sseEvent('message_start', { message }),
      sseEvent('ping', {}),
      ...blocks(reply).flatMap(({ block, deltas }, index) => [
        sseEvent('content_block_start', { index, content_block: block }),
        ...deltas.map((delta) => sseEvent('content_block_delta', { index, delta })),
        sseEvent('content_block_stop', { index }),
      ]),
      sseEvent('message_delta', {
        delta: { stop_reason: stopReason(reply), stop_sequence: null },
        usage: { output_tokens: reply.usage.output },
      }),
      sseEvent('message_stop', {}),
    ];
  },

  error(status, message) {
    const type = status === 429 ? 'rate_limit_error' : status === 529 ? 'overloaded_error' : 'api_error';
    return { type: 'error', error: { type, message } };
  },
};

interface Block {
  /** As a stream begins it. */
  readonly block: JsonObject;
  readonly deltas: JsonObject[];
  /** What a whole answer has in addition. */
  readonly full: JsonObject;
}

function blocks({ number, think, say, calls }: ScriptedReply): Block[] {
  const all: Block[] = [];
  if (think !== undefined) {
    const deltas = pieces(think).map((thinking): JsonObject => ({ type: 'thinking_delta', thinking }));
    all.push({
      block: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...deltas, { type: 'signature_delta', signature: SIGNATURE }],
      full: { thinking: think, signature: SIGNATURE },
    });
  }
  if (say !== undefined) {
    const deltas = pieces(say).map((text) => ({ type: 'text_delta', text }));
    all.push({ block: { type: 'text', text: '' }, deltas, full: { text: say } });
  }
  for (const [index, { name, input }] of calls.entries()) {
    const deltas = pieces(inputText(input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    all.push({
      block: { type: 'tool_use', id: `toolu_${number}_${index}`, name, input: {} },
      deltas,
      full: { input },
    });
  }
  return all;
}

function head({ number, model }: ScriptedReply): JsonObject {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function stopReason({ calls }: ScriptedReply): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function usage({ usage: { input, cacheRead } }: ScriptedReply, output: number): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

function schemaOf(body: JsonObject): JsonObject | undefined {
  const format = object(object(body['output_config'])['format'] ?? body['output_format']);
  return format['type'] === 'json_schema' ? object(format['schema']) : undefined;
}

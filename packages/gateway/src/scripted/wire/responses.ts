import type { OfferedTool } from '../asked.ts';
import { inputText, type JsonObject, object, objects, pieces, sseEvent, string, textOf } from '../json.ts';
import type { ScriptedCall, ScriptedReply } from '../reply.ts';
import type { Wire } from './wire.ts';

/** OpenAI Responses. */
export const responsesWire: Wire = {
  read(body) {
    const { input } = body;
    const items = objects(input);
    const format = object(object(body['text'])['format']);
    const said = items.filter(({ role }) => role !== undefined && role !== 'assistant');
    return {
      protocol: 'openai-responses',
      model: string(body['model']),
      stream: body['stream'] === true,
      tools: objects(body['tools']).flatMap((tool) => offered(tool, undefined)),
      text: [body['instructions'], typeof input === 'string' ? input : '', ...said.map(({ content }) => content)]
        .map(textOf)
        .join('\n'),
      results: items.filter(({ type }) => string(type).endsWith('_call_output')).map(({ output }) => textOf(output)),
      schema: format['type'] === 'json_schema' ? object(format['schema']) : undefined,
      streamUsage: true,
    };
  },

  whole(reply) {
    return response(reply, 'completed', items(reply), usage(reply));
  },

  events(reply) {
    let sequence = 0;
    const event = (type: string, data: JsonObject) => sseEvent(type, { sequence_number: sequence++, ...data });
    const begun = { response: response(reply, 'in_progress', [], null) };
    return [
      event('response.created', begun),
      event('response.in_progress', begun),
      ...items(reply).flatMap((item, output_index) => itemEvents(item, output_index, event)),
      event('response.completed', { response: response(reply, 'completed', items(reply), usage(reply)) }),
    ];
  },

  error(status, message) {
    const code = status === 429 ? 'rate_limit_exceeded' : 'server_error';
    return { error: { message, type: code, param: null, code } };
  },
};

function offered(tool: JsonObject, namespace: string | undefined): OfferedTool[] {
  const { type } = tool;
  if (type === 'namespace') return objects(tool['tools']).flatMap((inner) => offered(inner, string(tool['name'])));
  if (type === 'local_shell') return [{ name: 'local_shell', namespace, kind: 'local_shell', schema: {} }];
  if (type !== 'function' && type !== 'custom') return [];
  return [{ name: string(tool['name']), namespace, kind: type, schema: object(tool['parameters']) }];
}

type Event = (type: string, data: JsonObject) => string;

/** An item of the answer from its beginning to its end. */
function itemEvents(item: JsonObject, output_index: number, event: Event): string[] {
  const place = { item_id: string(item['id']), output_index };
  const { parts, empty } = itemParts(item, place, event);
  return [
    event('response.output_item.added', { output_index, item: { ...item, ...empty } }),
    ...parts,
    event('response.output_item.done', { output_index, item }),
  ];
}

/** What stands between: each text in pieces, then whole. */
function itemParts(item: JsonObject, place: JsonObject, event: Event): { parts: string[]; empty: JsonObject } {
  const deltas = (name: string, text: string, at: JsonObject) =>
    pieces(text).map((delta) => event(`${name}.delta`, { ...at, delta }));
  switch (item['type']) {
    case 'message': {
      const at = { ...place, content_index: 0 };
      const [part = {}] = objects(item['content']);
      const text = string(part['text']);
      const parts = [
        event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
        ...deltas('response.output_text', text, at),
        event('response.output_text.done', { ...at, text }),
        event('response.content_part.done', { ...at, part }),
      ];
      return { parts, empty: { status: 'in_progress', content: [] } };
    }
    case 'reasoning': {
      const at = { ...place, summary_index: 0 };
      const [part = {}] = objects(item['summary']);
      const text = string(part['text']);
      const parts = [
        event('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
        ...deltas('response.reasoning_summary_text', text, at),
        event('response.reasoning_summary_text.done', { ...at, text }),
        event('response.reasoning_summary_part.done', { ...at, part }),
      ];
      return { parts, empty: { summary: [], encrypted_content: null } };
    }
    case 'function_call': {
      const text = string(item['arguments']);
      const name = 'response.function_call_arguments';
      const done = event(`${name}.done`, { ...place, name: item['name'], arguments: text });
      return { parts: [...deltas(name, text, place), done], empty: { status: 'in_progress', arguments: '' } };
    }
    case 'custom_tool_call': {
      const text = string(item['input']);
      const name = 'response.custom_tool_call_input';
      const done = event(`${name}.done`, { ...place, input: text });
      return { parts: [...deltas(name, text, place), done], empty: { status: 'in_progress', input: '' } };
    }
    default:
      return { parts: [], empty: { status: 'in_progress' } };
  }
}

function items({ number, think, say, calls }: ScriptedReply): JsonObject[] {
  const all: JsonObject[] = [];
  if (think !== undefined) {
    const summary = [{ type: 'summary_text', text: think }];
    all.push({ id: `rs_${number}`, type: 'reasoning', summary, encrypted_content: 'c2NyaXB0ZWQ=' });
  }
  if (say !== undefined) {
    const content = [{ type: 'output_text', text: say, annotations: [] }];
    all.push({ id: `msg_${number}`, type: 'message', status: 'completed', role: 'assistant', content });
  }
  return [...all, ...calls.map((call, index) => callItem(call, `${number}_${index}`))];
}

function callItem({ kind, name, namespace, input }: ScriptedCall, id: string): JsonObject {
  const common = { status: 'completed', call_id: `call_${id}` };
  const named = { ...common, name, ...(namespace === undefined ? {} : { namespace }) };
  switch (kind) {
    case 'function':
      return { id: `fc_${id}`, type: 'function_call', ...named, arguments: inputText(input) };
    case 'custom':
      return { id: `ctc_${id}`, type: 'custom_tool_call', ...named, input: inputText(input) };
    case 'local_shell':
      return {
        id: `lsh_${id}`,
        type: 'local_shell_call',
        ...common,
        action: { type: 'exec', env: {}, ...object(input) },
      };
  }
}

function response(reply: ScriptedReply, status: string, output: JsonObject[], used: JsonObject | null): JsonObject {
  return {
    id: `resp_${reply.number}`,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: reply.model,
    output,
    parallel_tool_calls: true,
    usage: used,
  };
}

function usage({ usage: { input, cacheRead, output } }: ScriptedReply): JsonObject {
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cacheRead + output,
  };
}

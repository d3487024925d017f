import { type JsonObject, object, objects, pieces, sseData, string, textOf } from '../json.ts';
import type { ScriptedReply } from '../reply.ts';
import type { Wire } from './wire.ts';

/** Gemini's `generateContent` and `streamGenerateContent`. */
export const geminiWire: Wire = {
  read(body, path) {
    const contents = objects(body['contents']);
    const config = object(body['generationConfig']);
    const schema = config['responseJsonSchema'] ?? config['responseSchema'];
    const parts = contents.flatMap(({ parts }) => objects(parts));
    return {
      protocol: 'gemini',
      model: /\/models\/([^:/?]+)/.exec(path)?.[1] ?? '',
      stream: path.includes(':streamGenerateContent'),
      tools: objects(body['tools'])
        .flatMap(({ functionDeclarations }) => objects(functionDeclarations))
        .map((tool) => ({
          name: string(tool['name']),
          namespace: undefined,
          kind: 'function',
          schema: object(tool['parametersJsonSchema'] ?? tool['parameters']),
        })),
      text: [object(body['systemInstruction']), ...contents.filter(({ role }) => role !== 'model')]
        .map(({ parts }) => textOf(parts))
        .join('\n'),
      results: parts
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse }) => resultText(object(object(functionResponse)['response']))),
      schema: schema === undefined ? undefined : object(schema),
      streamUsage: true,
    };
  },

  whole(reply) {
    return answer(reply, parts(reply), true);
  },

  /** The end stands with the last part: a part of its own without text is none that clients take. */
  events(reply) {
    const all = streamed(reply);
    return all.map((part, index) => sseData(answer(reply, [part], index === all.length - 1)));
  },

  error(status, message) {
    const name = status === 429 ? 'RESOURCE_EXHAUSTED' : status === 503 ? 'UNAVAILABLE' : 'INTERNAL';
    return { error: { code: status, message, status: name } };
  },
};

/** What a tool answered: clients choose the member's name. */
function resultText(response: JsonObject): string {
  const { output, error } = response;
  return string(output) || string(error) || JSON.stringify(response);
}

function parts({ number, think, say, calls }: ScriptedReply): JsonObject[] {
  return [
    ...(think === undefined ? [] : [{ text: think, thought: true }]),
    ...(say === undefined ? [] : [{ text: say }]),
    ...calls.map(({ name, input }, index) => ({
      functionCall: { id: `call_${number}_${index}`, name, args: input },
      ...(index === 0 ? { thoughtSignature: 'c2NyaXB0ZWQ=' } : {}),
    })),
  ];
}

function streamed(reply: ScriptedReply): JsonObject[] {
  return parts(reply).flatMap((part) => {
    const { text } = part;
    return typeof text === 'string' ? pieces(text).map((piece) => ({ ...part, text: piece })) : [part];
  });
}

function answer({ number, model, usage }: ScriptedReply, parts: JsonObject[], last: boolean): JsonObject {
  const { input, cacheRead, output } = usage;
  const told = last ? output : 0;
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    usageMetadata: {
      promptTokenCount: input + cacheRead,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: told,
      totalTokenCount: input + cacheRead + told,
    },
    modelVersion: model,
    responseId: `response-${number}`,
  };
}

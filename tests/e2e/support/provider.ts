import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Of each answer. */
export const USAGE = { input: 1000, cached: 200, output: 50 };
const TEXT = 'In the parser.';

const ANSWERS: readonly (readonly [path: RegExp, answer: object])[] = [
  [
    /^\/v1\/messages$/,
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'served-anthropic',
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: USAGE.input - USAGE.cached,
        cache_read_input_tokens: USAGE.cached,
        cache_creation_input_tokens: 0,
        output_tokens: USAGE.output,
      },
    },
  ],
  [
    /^\/v1\/chat\/completions$/,
    {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'served-chat',
      system_fingerprint: 'fp_1',
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: USAGE.input,
        completion_tokens: USAGE.output,
        total_tokens: USAGE.input + USAGE.output,
        prompt_tokens_details: { cached_tokens: USAGE.cached },
      },
    },
  ],
  [
    /^\/v1\/responses$/,
    {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'served-responses',
      output: [
        {
          type: 'message',
          id: 'm',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: TEXT, annotations: [] }],
        },
      ],
      usage: {
        input_tokens: USAGE.input,
        input_tokens_details: { cached_tokens: USAGE.cached },
        output_tokens: USAGE.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: USAGE.input + USAGE.output,
      },
    },
  ],
  [
    /^\/v1beta\/models\/[^/]+:generateContent$/,
    {
      modelVersion: 'served-gemini',
      candidates: [{ content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: USAGE.input,
        cachedContentTokenCount: USAGE.cached,
        candidatesTokenCount: USAGE.output,
        totalTokenCount: USAGE.input + USAGE.output,
      },
    },
  ],
];

/** What a provider does with a call. Undefined: it answers as one does. */
export type Behaviour = (count: number, response: ServerResponse) => void | Promise<void>;

/** A provider on a port of this host that answers every protocol, always the same. */
export class Provider implements AsyncDisposable {
  /** Keys that it was sent. */
  readonly keys: string[] = [];
  calls = 0;
  /** Asked before each answer, with the number of the call from 1; what it answers itself is the answer. */
  before: Behaviour = () => undefined;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  static async start(): Promise<Provider> {
    const provider = new Provider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await buffer(request);
    this.calls += 1;
    const { 'x-api-key': anthropic, authorization, 'x-goog-api-key': google } = request.headers;
    this.keys.push(String(anthropic ?? google ?? authorization));
    await this.before(this.calls, response);
    if (response.headersSent || response.destroyed) return;
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const answer = ANSWERS.find(([pattern]) => pattern.test(path))?.[1];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { message: `no such path: ${path}` } }));
  }
}

import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { json } from 'node:stream/consumers';
import type { Asked } from './asked.ts';
import { type JsonObject, object } from './json.ts';
import type { ScriptedReply } from './reply.ts';
import type { Fault, Scenario, ScriptedUsage } from './scenario.ts';
import { Script, type Turn } from './script.ts';
import { anthropicWire } from './wire/anthropic.ts';
import { chatWire } from './wire/chat.ts';
import { geminiWire } from './wire/gemini.ts';
import { responsesWire } from './wire/responses.ts';
import type { Wire } from './wire/wire.ts';

const WIRES: readonly (readonly [path: RegExp, wire: Wire])[] = [
  [/^(\/v1)?\/messages$/, anthropicWire],
  [/^(\/v1)?\/chat\/completions$/, chatWire],
  [/^(\/v1)?\/responses$/, responsesWire],
  [/^(\/v1(alpha|beta)?)?\/models\/[^/]+:(stream)?[gG]enerateContent$/, geminiWire],
];

/** Paths that count tokens, with the answer. */
const COUNTS: readonly (readonly [path: RegExp, answer: JsonObject])[] = [
  [/^(\/v1)?\/messages\/count_tokens$/, { input_tokens: 1000 }],
  [/^(\/v1(alpha|beta)?)?\/models\/[^/]+:countTokens$/, { totalTokens: 1000 }],
];

/** A request for an answer, and what became of it. */
export interface ScriptedRequest extends Asked {
  /** When it had arrived, milliseconds since the epoch. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** `aside`: no part of the agent's conversation. */
  readonly kind: Turn['kind'];
  /** Of the scenario, from 0; undefined for an aside and behind the last step. */
  readonly step: number | undefined;
}

/** Listens on this port of the loopback; any that is free unless it is given. */
export async function startScriptedModel(scenario: Scenario, port = 0): Promise<ScriptedModel> {
  const model = new ScriptedModel(scenario);
  await model.listen(port);
  return model;
}

/**
 * A provider on the loopback that does what a scenario says, in each of the protocols that providers speak: Anthropic
 * Messages, OpenAI Chat Completions and Responses, Gemini; streamed when it is asked to. It checks no key.
 */
export class ScriptedModel implements AsyncDisposable {
  readonly #requests: ScriptedRequest[] = [];
  readonly #server: Server;
  #script: Script;
  #window: number | undefined;
  #answers = 0;
  #used = { input: 0, cacheRead: 0, output: 0 };
  /** Of answers and calls, never the same twice. */
  #number = 0;

  constructor(scenario: Scenario) {
    this.#script = new Script(scenario);
    this.#window = scenario.window;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Without a path: Anthropic's and Gemini's clients add the whole path, OpenAI's want `/v1` behind it. */
  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  /** Begins another scenario, and forgets what was asked before. */
  play(scenario: Scenario): void {
    this.#script = new Script(scenario);
    this.#window = scenario.window;
    this.#requests.length = 0;
    this.#answers = 0;
    this.#used = { input: 0, cacheRead: 0, output: 0 };
  }

  /** What was asked, in the order of arrival. Counts of tokens are not in it. */
  get requests(): readonly ScriptedRequest[] {
    return this.#requests;
  }

  /** The requests of the agent's conversation. */
  get conversation(): ScriptedRequest[] {
    return this.#requests.filter(({ kind }) => kind !== 'aside');
  }

  /** Answers that were given whole; each costs its tokens. */
  get answers(): number {
    return this.#answers;
  }

  /** Tokens of those answers. */
  get used(): ScriptedUsage {
    return this.#used;
  }

  /** Every step of the scenario was taken. */
  get ended(): boolean {
    return this.#script.ended;
  }

  /** Steps, by their place from 0, that no tool of the agent could do. */
  get skipped(): readonly number[] {
    return this.#script.skipped;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method, headers } = request;
    const path = url.replace(/\?.*$/, '');
    if (method !== 'POST') return send(response, 200, this.#models(path));
    const body = object(await json(request));
    const count = COUNTS.find(([pattern]) => pattern.test(path))?.[1];
    if (count) return send(response, 200, count);
    const wire = WIRES.find(([pattern]) => pattern.test(path))?.[1];
    if (wire === undefined) return send(response, 404, { error: { message: `no such path: ${path}` } });

    const asked = wire.read(body, url);
    const turn = this.#script.next(asked);
    const step = turn.kind === 'aside' ? undefined : turn.step;
    this.#requests.push({ ...asked, at: Date.now(), path: url, headers, body, kind: turn.kind, step });
    if (turn.kind === 'fault') return fail(response, turn.fault, wire, asked);
    this.#number += 1;
    const reply = { ...turn.reply, number: this.#number };
    if (asked.stream) await stream(response, wire.events(reply, asked), isArray(asked, url));
    else send(response, 200, wire.whole(reply));
    this.#count(reply);
  }

  /** The list of models, or one of them. */
  #models(path: string): JsonObject {
    const name = /\/models\/(.+)$/.exec(path)?.[1];
    if (name === undefined) return { object: 'list', data: [] };
    return { id: decodeURIComponent(name), object: 'model', max_input_tokens: this.#window ?? null };
  }

  #count({ usage }: ScriptedReply): void {
    const { input, cacheRead, output } = this.#used;
    this.#answers += 1;
    this.#used = {
      input: input + usage.input,
      cacheRead: cacheRead + usage.cacheRead,
      output: output + usage.output,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Gemini streams a JSON array to clients that don't ask for server-sent events. */
function isArray({ protocol }: Asked, url: string): boolean {
  return protocol === 'gemini' && new URL(url, 'http://host').searchParams.get('alt') !== 'sse';
}

async function stream(response: ServerResponse, events: readonly string[], array: boolean): Promise<void> {
  response.writeHead(200, { 'content-type': array ? 'application/json' : 'text/event-stream; charset=utf-8' });
  const pieces = array ? [`[${events.map((event) => event.slice('data: '.length)).join(',')}]`] : events;
  for (const piece of pieces) await written(response, piece);
  response.end();
}

/** Pieces leave one by one, as a provider's do. */
function written(response: ServerResponse, piece: string): Promise<void> {
  return new Promise((resolve) => response.write(piece, () => setImmediate(resolve)));
}

async function fail(response: ServerResponse, fault: Fault, wire: Wire, asked: Asked): Promise<void> {
  switch (fault.do) {
    case 'fail':
      return send(response, fault.status, wire.error(fault.status, `scripted: status ${fault.status}`));
    case 'cut': {
      const usage = { input: 0, cacheRead: 0, output: 0 };
      const reply = { number: 0, model: asked.model, think: undefined, say: 'This is the beg', calls: [], usage };
      if (asked.stream) {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        const events = wire.events(reply, asked);
        for (const piece of events.slice(0, events.length / 2)) await written(response, piece);
      } else {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        await written(response, '{');
      }
      response.destroy();
      return;
    }
    case 'hang':
      await once(response, 'close');
  }
}

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

export const MASTER_KEY = 'sk-master-of-the-stand-in';

interface User {
  models: string[];
  maxBudget: number;
  key: string;
  /** US dollars. What a call costs is counted against the budget at once, and in `/user/info` once it is booked. */
  spent: number;
  booked: number;
}

/** How it behaves beyond the ordinary. */
export interface LiteLlmStubOptions {
  models?: readonly string[];
  /** When a call's cost appears in `/user/info`, after its end. Milliseconds; Infinity: never. */
  bookingMs?: number;
  /** What a call costs, US dollars. */
  callCost?: number;
  /** Without one it keeps no keys. */
  database?: boolean;
  /** A version without `GET /models/{name}`. */
  oneModelRoute?: boolean;
}

const COMPLETION = 'POST /v1/chat/completions';

type Body = Record<string, unknown>;

/**
 * A stand-in of LiteLLM's documented key management (`/user/new`, `/user/info`, `/user/delete`, `/models`), with bodies and
 * errors as version 1.108 writes them, and of a model that says "hi". The real one keeps keys only with a PostgreSQL database.
 */
export class LiteLlmStub implements AsyncDisposable {
  readonly users = new Map<string, User>();
  /** `METHOD path`, and the body where there is one. */
  readonly requests: [call: string, body: Body | undefined][] = [];
  /** Calls that are answered with an error of the server. */
  failing: RegExp | undefined;
  /** Awaited before a model's call is answered, with its number from 1. */
  beforeCall: (count: number) => Promise<void> | void = () => undefined;
  #calls = 0;
  readonly #server: Server;
  readonly #options: Required<LiteLlmStubOptions>;

  private constructor(options: LiteLlmStubOptions) {
    const defaults = { models: ['model-one'], bookingMs: 0, callCost: 0.25, database: true, oneModelRoute: true };
    this.#options = { ...defaults, ...options };
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(options: LiteLlmStubOptions = {}): Promise<LiteLlmStub> {
    const stub = new LiteLlmStub(options);
    stub.#server.listen(0, '127.0.0.1');
    await once(stub.#server, 'listening');
    return stub;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? ((await json(request)) as Body) : undefined;
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const call = `${request.method} ${pathname}`;
    this.requests.push([call, body]);
    if (call === COMPLETION) await this.beforeCall(++this.#calls);
    const key = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const [status, answer] = this.failing?.test(call)
      ? failure(500, 'Internal Server Error')
      : this.#answer(call, body, searchParams, key);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #answer(call: string, body: Body | undefined, query: URLSearchParams, key: string): [number, unknown] {
    if (call === COMPLETION) return this.#complete(String(body?.['model']), key);
    if (key !== MASTER_KEY) return failure(401, `Authentication Error, Invalid proxy server token passed: ${key}`);
    const { models, database, oneModelRoute } = this.#options;
    const data = models.map((id) => ({ id, object: 'model', owned_by: 'openai' }));
    if (call === 'GET /health/readiness')
      return [200, { status: 'healthy', db: database ? 'connected' : 'Not connected' }];
    if (call === 'GET /models') return [200, { data, object: 'list' }];
    const name = /^GET \/models\/(.+)$/.exec(call)?.[1];
    if (name !== undefined) {
      const found = oneModelRoute ? data.find(({ id }) => id === decodeURIComponent(name)) : undefined;
      return found ? [200, found] : [404, { detail: 'Not Found' }];
    }
    if (!database) return failure(500, 'Internal Server Error');
    if (call === 'POST /user/new' && body) return this.#newUser(body);
    if (call === 'GET /user/info') return this.#userInfo(query.get('user_id') ?? '');
    if (call === 'POST /user/delete') return this.#deleteUsers(body?.['user_ids'] as string[]);
    return [404, { detail: 'Not Found' }];
  }

  #newUser({ user_id, models, max_budget }: Body): [number, unknown] {
    const userId = String(user_id);
    if (this.users.has(userId)) return failure(409, { error: `User with id ${userId} already exists` });
    const key = `sk-${randomUUID()}`;
    this.users.set(userId, { models: models as string[], maxBudget: Number(max_budget), key, spent: 0, booked: 0 });
    return [200, { user_id: userId, key, models, max_budget, spend: 0, expires: null }];
  }

  #userInfo(userId: string): [number, unknown] {
    const user = this.users.get(userId);
    if (!user) return failure(404, `User ${userId} not found`);
    return [200, { user_id: userId, user_info: { user_id: userId, spend: user.booked }, keys: [], teams: [] }];
  }

  #deleteUsers(userIds: string[]): [number, unknown] {
    for (const userId of userIds) {
      if (!this.users.delete(userId)) return [404, { detail: { error: `User not found, passed user_id=${userId}` } }];
    }
    return [200, userIds.length];
  }

  #complete(model: string, key: string): [number, unknown] {
    const user = [...this.users.values()].find((candidate) => candidate.key === key);
    if (!user) return failure(401, 'Authentication Error, Invalid proxy server token passed');
    if (!user.models.includes(model)) return failure(401, `key not allowed to access model ${model}`);
    if (user.spent >= user.maxBudget)
      return failure(422, `ExceededBudget: User over budget. Spend=${user.spent}`, 'budget_exceeded');
    const { callCost, bookingMs } = this.#options;
    user.spent += callCost;
    const book = () => {
      user.booked += callCost;
    };
    if (bookingMs === 0) book();
    else if (Number.isFinite(bookingMs)) setTimeout(book, bookingMs).unref();
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
    return [200, { id: 'c', object: 'chat.completion', model, choices }];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function failure(status: number, message: unknown, type = 'auth_error'): [number, unknown] {
  return [status, { error: { message, type, param: 'None', code: String(status) } }];
}

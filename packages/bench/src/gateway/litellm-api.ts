import { unknownName } from '@ssebench/contracts/closest';
import { z } from 'zod';
import { BASE_URL, type LiteLlmAddress, MASTER_KEY } from './litellm-settings.ts';
import { GatewayError } from './model-gateway.ts';

/** One call. Milliseconds. */
const LIMIT = 15_000;
const MAX_WORDS = 300;

const NewUser = z.object({ key: z.string().min(1) });
const UserInfo = z.object({ user_info: z.object({ spend: z.number().nullable() }) });
const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });
const Readiness = z.object({ db: z.string() });
const Problem = z.object({
  error: z.union([z.string(), z.object({ message: z.unknown() })]).optional(),
  detail: z.unknown().optional(),
});

/** A user with a key, both for one run. */
export interface NewLiteLlmUser {
  userId: string;
  model: string;
  /** US dollars. */
  budget: number;
  /** Calls at a time. */
  concurrency: number;
  /** The key is worth nothing after it even if nobody removes it, as LiteLLM writes it (`30d`). */
  duration: string;
}

/**
 * LiteLLM's key management (https://docs.litellm.ai/docs/proxy/users, …/virtual_keys). Every call ends within 15 s and throws
 * GatewayError: one line with the address and what to do, and never a key.
 */
export class LiteLlmApi {
  readonly #baseUrl: string;
  readonly #masterKey: string;

  constructor({ baseUrl, masterKey }: LiteLlmAddress) {
    this.#baseUrl = baseUrl;
    this.#masterKey = masterKey;
  }

  /** @throws GatewayError when LiteLLM does not have it, with the names that it has */
  async requireModel(name: string): Promise<void> {
    const [status] = await this.#ask('GET', `/models/${encodeURIComponent(name)}`);
    if (status === 200) return;
    // A version without that route, or a name with a slash.
    const known = this.#parsed(await this.#ask('GET', '/models'), 'GET /models', ModelList).data.map(({ id }) => id);
    if (!known.includes(name))
      throw new GatewayError(
        `LiteLLM at ${this.#baseUrl}: ${unknownName('model', name, known)}; its model_list needs it`,
      );
  }

  /** @returns the key */
  async newUser({ userId, model, budget, concurrency, duration }: NewLiteLlmUser): Promise<string> {
    const answer = await this.#ask('POST', '/user/new', {
      user_id: userId,
      user_role: 'internal_user_viewer',
      models: [model],
      max_budget: budget,
      max_parallel_requests: concurrency,
      duration,
      key_alias: userId,
    });
    // Without one, some versions fail and do not say why.
    if (answer[0] >= 500 && (await this.#database()) === false) throw this.#noDatabase();
    return this.#parsed(answer, 'POST /user/new', NewUser).key;
  }

  /** What the books have of a user by now, US dollars: LiteLLM writes them in batches. */
  async spend(userId: string): Promise<number> {
    const answer = await this.#ask('GET', `/user/info?user_id=${encodeURIComponent(userId)}`);
    return this.#parsed(answer, 'GET /user/info', UserInfo).user_info.spend ?? 0;
  }

  /** With its keys. One that is not there is no error. */
  async deleteUser(userId: string): Promise<void> {
    const answer = await this.#ask('POST', '/user/delete', { user_ids: [userId] });
    if (answer[0] !== 404) this.#parsed(answer, 'POST /user/delete', z.unknown());
  }

  /** Whether it has one; undefined where it does not say. */
  async #database(): Promise<boolean | undefined> {
    const [status, text] = await this.#ask('GET', '/health/readiness');
    const said = status === 200 ? Readiness.safeParse(parsed(text)).data?.db : undefined;
    return said === undefined ? undefined : said === 'connected';
  }

  #parsed<T>([status, text]: readonly [number, string], call: string, schema: z.ZodType<T>): T {
    if (status < 200 || status > 299) throw this.#refusal(status, text, call);
    const answer = schema.safeParse(parsed(text));
    if (answer.success) return answer.data;
    throw new GatewayError(
      `${this.#baseUrl} answers ${call} as LiteLLM does not: set ${BASE_URL} to the address of a LiteLLM proxy`,
    );
  }

  #refusal(status: number, text: string, call: string): GatewayError {
    const words = wordsOf(text).replaceAll(this.#masterKey, '[key]');
    const where = `LiteLLM at ${this.#baseUrl}`;
    if (/no connected db|db not connected|no db connected/i.test(words)) return this.#noDatabase();
    if (status === 401 || status === 403)
      return new GatewayError(
        `${where} refuses ${MASTER_KEY} (${status}): set it to the master key that it was started with`,
      );
    return new GatewayError(`${where} answered ${call} with ${status}: ${words || 'no words'}`);
  }

  #noDatabase(): GatewayError {
    return new GatewayError(
      `LiteLLM at ${this.#baseUrl} has no database, so it keeps no keys and no budgets: start it with one, as "ssebench proxy up" does`,
    );
  }

  async #ask(method: string, path: string, body?: unknown): Promise<readonly [status: number, text: string]> {
    try {
      const answer = await fetch(this.#baseUrl + path, {
        method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${this.#masterKey}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(LIMIT),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return [answer.status, await answer.text()];
    } catch (cause) {
      throw new GatewayError(
        `LiteLLM at ${this.#baseUrl} does not answer (${whyOf(cause)}): start it with "ssebench proxy up", or set ${BASE_URL} to one that runs`,
        { cause },
      );
    }
  }
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `not within ${LIMIT / 1000} s`;
  const { cause } = error;
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : error.message;
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an error's body says, on one line. */
function wordsOf(text: string): string {
  const { error, detail } = Problem.safeParse(parsed(text)).data ?? {};
  const said = (typeof error === 'object' ? error.message : error) ?? detail ?? text;
  const words = typeof said === 'string' ? said : JSON.stringify(said);
  return words.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS);
}

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  GatewayCalls,
  GatewayForward,
  GatewayKey,
  GatewayProblem,
  GatewayRun,
  GatewayStatus,
  type NewForward,
} from '@ssebench/contracts/gateway-api';
import type { z } from 'zod';
import { GatewayError } from './model-gateway.ts';

/** One call; closing a run waits until its calls are settled. Milliseconds. */
const LIMIT = 30_000;

/** `POST /runs`. */
export interface NewRun {
  run_id: string;
  model: string;
  budget_usd: string;
  concurrency: number;
  allow: readonly string[];
  allow_fields: readonly string[];
  socket: string;
  record?: string;
  replay?: string;
}

/** `POST /forwards`. */
export interface ForwardedRun extends Pick<NewForward, 'run_id' | 'model' | 'base_url' | 'key_sha256' | 'socket'> {
  allow: readonly string[];
  allow_fields: readonly string[];
  record?: string | null;
}

/** No process serves the socket. */
export class GatewayNotRunning extends GatewayError {}

/** The admin socket of a running gateway. Every call throws GatewayError; GatewayNotRunning where nobody listens. */
export class AdminClient {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  status(): Promise<GatewayStatus> {
    return this.#call('GET', '/status', GatewayStatus);
  }

  createRun(run: NewRun): Promise<z.infer<typeof GatewayKey>> {
    return this.#call('POST', '/runs', GatewayKey, run);
  }

  /** Undefined: the books do not have the run. */
  async calls(runId: string): Promise<GatewayCalls | undefined> {
    try {
      return await this.#call('GET', `/runs/${encodeURIComponent(runId)}/calls`, GatewayCalls);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'unknown_run') return undefined;
      throw error;
    }
  }

  closeRun(runId: string): Promise<GatewayRun> {
    return this.#call('DELETE', `/runs/${encodeURIComponent(runId)}`, GatewayRun);
  }

  openForward(forward: ForwardedRun): Promise<GatewayForward> {
    return this.#call('POST', '/forwards', GatewayForward, forward);
  }

  closeForward(runId: string): Promise<GatewayForward> {
    return this.#call('DELETE', `/forwards/${encodeURIComponent(runId)}`, GatewayForward);
  }

  /** @param usd a decimal number, at most nine digits behind the point */
  keepSpend(runId: string, usd: string): Promise<GatewayForward> {
    return this.#call('PUT', `/forwards/${encodeURIComponent(runId)}/spend`, GatewayForward, { spent_usd: usd });
  }

  async shutDown(): Promise<void> {
    await this.#call('POST', '/shutdown', undefined);
  }

  #call(method: string, path: string, schema: undefined): Promise<undefined>;
  #call<T extends z.ZodType>(method: string, path: string, schema: T, body?: unknown): Promise<z.infer<T>>;
  async #call(method: string, path: string, schema: z.ZodType | undefined, body?: unknown): Promise<unknown> {
    const [status, said] = await this.#exchange(method, path, body);
    let value: unknown;
    try {
      value = JSON.parse(said);
    } catch (cause) {
      throw new GatewayError(`the gateway answered ${method} ${path} with ${JSON.stringify(said.slice(0, 200))}`, {
        cause,
      });
    }
    if (status >= 300) {
      const problem = GatewayProblem.safeParse(value).data?.error;
      const why = problem?.message ?? said.slice(0, 200);
      throw new GatewayError(`the gateway refused ${method} ${path}: ${why}`, { code: problem?.code });
    }
    const parsed = schema?.safeParse(value);
    if (parsed && !parsed.success)
      throw new GatewayError(
        `the gateway answers ${method} ${path} as another version does: end it with \`ssebench gateway down\``,
      );
    return parsed?.data;
  }

  async #exchange(method: string, path: string, body: unknown): Promise<[status: number, text: string]> {
    const call = request({
      socketPath: this.#socketPath,
      method,
      path,
      agent: false,
      signal: AbortSignal.timeout(LIMIT),
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
    });
    try {
      call.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      return [answer.statusCode ?? 0, await text(answer)];
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ECONNREFUSED')
        throw new GatewayNotRunning(`no gateway serves ${this.#socketPath}`, { cause });
      throw new GatewayError(`the gateway at ${this.#socketPath} did not answer ${method} ${path}: ${message}`, {
        cause,
      });
    }
  }
}

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { ModelSwitch } from '@ssebench/contracts/model-switches';
import { SqliteLedger } from '../ledger/sqlite-ledger.ts';
import { temporaryFolder } from '../ledger/test-ledger.ts';
import { attoUsd } from '../prices/prices.ts';
import { modelPricing } from '../prices/pricing.ts';
import { Recordings } from '../recording/recordings.ts';
import { Replays } from '../replay/replays.ts';
import { BodyRoom } from '../server/body-room.ts';
import { ClientListeners } from '../server/client-listeners.ts';
import type { Gateway, Limits } from '../server/gateway.ts';
import { LiveCalls } from '../server/live-calls.ts';
import type { GatewayModel, ModelCatalog, RunSpend } from '../server/ports.ts';
import { systemClock } from '../server/system-clock.ts';
import { Upstream } from '../server/upstream.ts';
import { ProviderStub } from './provider-stub.ts';

export const PROVIDER_KEY = 'provider-secret-key-1234';
export const RUN_ID = 'run-1';

/** A dollar a million tokens of input, two of output. */
const PRICES = {
  base: {
    input: attoUsd(1e-6),
    cacheRead: attoUsd(1e-7),
    cacheWrite5m: attoUsd(1.25e-6),
    cacheWrite1h: attoUsd(2e-6),
    output: attoUsd(2e-6),
    reasoning: attoUsd(2e-6),
  },
  tiers: [],
  maxInputTokens: undefined,
};

export interface TestOptions {
  model?: Partial<GatewayModel>;
  budget?: bigint;
  concurrency?: number;
  allow?: readonly ModelSwitch[];
  allowFields?: readonly string[];
  limits?: Partial<Limits>;
  /** For the bodies of a run's requests. */
  roomBytes?: number;
  /** Name of the file, in the test's folder, that the run is recorded in. */
  record?: string;
  /** Absolute path of the recording that answers. */
  replay?: string;
}

export interface ClientAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The connection broke before the answer was whole. */
  readonly broken: boolean;
}

/** A gateway on a loopback port before a provider stub, with a run whose key `post` sends. */
export class TestGateway implements AsyncDisposable {
  readonly provider: ProviderStub;
  readonly ledger: SqliteLedger;
  readonly listeners: ClientListeners;
  readonly gateway: Gateway;
  readonly key: string;
  readonly port: number;
  readonly log: string[];
  /** The test's own folder. */
  readonly path: string;
  readonly #folder: Disposable;
  #runs = 1;

  private constructor(
    parts: Pick<TestGateway, 'provider' | 'ledger' | 'listeners' | 'gateway' | 'key' | 'port' | 'log'>,
    folder: Disposable & { path: string },
  ) {
    this.provider = parts.provider;
    this.ledger = parts.ledger;
    this.listeners = parts.listeners;
    this.gateway = parts.gateway;
    this.key = parts.key;
    this.port = parts.port;
    this.log = parts.log;
    this.path = folder.path;
    this.#folder = folder;
  }

  static async start(options: TestOptions = {}): Promise<TestGateway> {
    const folder = temporaryFolder();
    const provider = await ProviderStub.start();
    const ledger = new SqliteLedger(folder.path, { grouped: true });
    const log: string[] = [];
    const model: GatewayModel = {
      name: 'the-model',
      provider: 'openai',
      protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini'],
      upstreamModel: 'the-model',
      baseUrl: provider.url,
      apiKey: () => PROVIDER_KEY,
      defaultOutputTokens: 1000,
      maxOutputTokens: undefined,
      prices: PRICES,
      ...options.model,
    };
    const gateway: Gateway = {
      ledger,
      catalog: onlyModel(model),
      pricing: modelPricing,
      clock: systemClock,
      upstream: new Upstream(),
      calls: new LiveCalls(),
      bodies: new BodyRoom(options.roomBytes ?? 1024 * 1024 * 1024),
      recordings: new Recordings(),
      replays: new Replays(),
      limits: {
        bodyBytes: 1024 * 1024,
        waitMs: 2000,
        stallMs: 30_000,
        retry: { attempts: 3, firstDelayMs: 5, longestDelayMs: 50 },
        ...options.limits,
      },
      log: (line) => log.push(line),
    };
    const listeners = new ClientListeners(gateway);
    const port = await listeners.openLoopback();
    const key = createKey(ledger, RUN_ID, options, folder.path);
    return new TestGateway({ provider, ledger, listeners, gateway, key, port, log }, folder);
  }

  /** Another run's key. */
  addRun(options: TestOptions): string {
    return createKey(this.ledger, `run-${++this.#runs}`, options, this.path);
  }

  spend(): RunSpend {
    const spend = this.ledger.spend(RUN_ID);
    if (spend === undefined) throw new Error('the run is unknown');
    return spend;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ClientAnswer> {
    return this.send(
      'POST',
      path,
      typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
      headers,
    );
  }

  /** @param signal ends the client's connection */
  send(
    method: string,
    path: string,
    body: string | Buffer = '',
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<ClientAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ClientAnswer>();
    const length = 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const all = { 'x-api-key': this.key, 'content-type': 'application/json', ...length, ...headers };
    const request = httpRequest({
      host: '127.0.0.1',
      port: this.port,
      method,
      path,
      headers: all,
      agent: false,
      signal,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status = 0, headers: got, complete } = response;
        resolve({ status, headers: got, body: Buffer.concat(chunks), broken: !complete });
      });
    });
    request.end(body);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.calls.abortAll();
    await this.gateway.recordings.closeAll();
    await this.gateway.replays.closeAll();
    await this.listeners.closeAll();
    await this.gateway.upstream.close();
    await this.provider[Symbol.asyncDispose]();
    this.ledger[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }
}

function createKey(ledger: SqliteLedger, runId: string, options: TestOptions, folder: string): string {
  const { allow = [], allowFields = [], budget = 10_000_000_000n, concurrency = 100 } = options;
  const { record, replay } = options;
  const files = { ...(record && { record: join(folder, record) }), ...(replay && { replay }) };
  const settings = JSON.stringify({ allow, allow_fields: allowFields, ...files });
  return ledger.createKey({ runId, model: 'the-model', budget, concurrency, settings });
}

function onlyModel(model: GatewayModel): ModelCatalog {
  return {
    get: (name) => (name === model.name ? model : undefined),
    names: () => [model.name],
    problems: () => [],
  };
}

import type { ModelProtocol } from '@ssebench/contracts/model-protocol';
import type { ModelPrices } from '../prices/prices.ts';
import type { Stop } from './stop.ts';

/** What the server needs of the ledger, the models and the clock. Every call is synchronous but `Clock.wait`: no other call comes between. */

/** Thousand-millionths of a US dollar. */
export type NanoUsd = bigint;

/** A protocol that clients speak to the gateway, and the gateway to providers. */
export type ProtocolName = ModelProtocol;

/** Tokens of one call or a sum of calls. The kinds do not overlap, `reasoning` aside, which is part of `output`. */
export interface Usage {
  /** Input that no cache held and none keeps. */
  readonly input: number;
  readonly cacheRead: number;
  /** Input written to a cache that keeps it for 5 minutes (or as long as the provider pleases). */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

/** A model as clients name it. `name` is what a run's key is for. */
export interface GatewayModel {
  readonly name: string;
  readonly provider: 'anthropic' | 'openai' | 'google' | 'compatible';
  /** The protocols that this model's provider speaks itself. */
  readonly protocols: readonly ProtocolName[];
  readonly upstreamModel: string;
  /**
   * Without a trailing `/`; a protocol's path is appended as the client sees it: Anthropic `…` + `/v1/messages`, OpenAI
   * and compatible `…/v1` + `/chat/completions`, Google `…` + `/v1beta/models/M:generateContent`.
   */
  readonly baseUrl: string;
  /** @throws Error naming the variable that is not set; never with a value in it */
  readonly apiKey: () => string;
  /** What a request that lacks an output limit gets. */
  readonly defaultOutputTokens: number;
  /** The most that the model can answer in one call; a higher limit is lowered to it. Undefined: not known. */
  readonly maxOutputTokens: number | undefined;
  /** The longest input that it reads. Undefined: not known. */
  readonly maxInputTokens?: number | undefined;
  /** Undefined: no price is known, and no call may be made. */
  readonly prices: ModelPrices | 'free' | undefined;
}

export interface ModelCatalog {
  /** The model of that name as its file says now. */
  get(name: string): GatewayModel | undefined;
  /** For `status`: the names, and what is wrong with the files (`path:line: …`). */
  names(): readonly string[];
  problems(): readonly string[];
}

/** What bounds the input tokens of a request from above. */
export interface RequestSize {
  /** Of the whole body: a token of text has at least one byte. */
  readonly bytes: number;
  /** Pictures in it: a small file may be many tokens. Default 0. */
  readonly images?: number;
  /** Documents, sound and video in it: they may be as many tokens as the model reads at all. Default 0. */
  readonly documents?: number;
  /** The longest that the request has its input kept in a cache where that costs extra. Default: the dearest there is. */
  readonly cacheWrites?: 'none' | '5m' | '1h';
}

/** Prices as functions of a model: what they are made of stays with the price table. */
export interface Pricing {
  /** What a call can cost at most. Undefined: no price is known. */
  upperBound(model: GatewayModel, request: RequestSize, outputTokens: number): NanoUsd | undefined;
  /** The highest output limit whose upper bound is within `amount`, at most 2^31-1; below 1 when the input alone is more. */
  affordableOutput(model: GatewayModel, request: RequestSize, amount: NanoUsd): number;
  /** Exact, rounded up once. @throws Error when no price is known */
  costOf(model: GatewayModel, usage: Usage): NanoUsd;
}

/** A key that was found and not revoked. */
export interface KeyInfo {
  readonly runId: string;
  readonly model: string;
  readonly budget: NanoUsd;
  /** Calls at one time. */
  readonly concurrency: number;
  /** What the server keeps with a key so that it outlives the process (JSON); the ledger does not read it. */
  readonly settings: string;
}

/**
 * Why money was refused. `reserved`: calls that are under way hold it; what they do not spend comes back when they end, so
 * ask again then. `budget`: it is spent.
 */
export type Denial = 'budget' | 'reserved' | 'concurrency' | 'revoked' | 'unknown_key';

export type Reservation =
  | { readonly granted: true; readonly amount: NanoUsd }
  | { readonly granted: false; readonly reason: Denial; readonly left: NanoUsd };

/** How a call that was reserved ended. */
export interface Settlement {
  readonly usage: Usage;
  readonly cost: NanoUsd;
  /** What may have been spent beyond `cost` (the client or the provider went away before the usage was told). Counted in the budget, never as spend. */
  readonly uncertain: NanoUsd;
  /** What the provider said it served. */
  readonly servedModel: string | undefined;
  readonly fingerprint: string | undefined;
  /** HTTP status of the provider's answer; 0: none came. */
  readonly status: number;
  /**
   * Why the answer is not whole (`the client went away`, `the run has ended`, `the provider broke off: …`); undefined: it is.
   * It begins with `the provider` exactly when the provider failed: `RunSpend.failed` counts those.
   */
  readonly failure: string | undefined;
  /** The output limit after it was lowered for lack of money; undefined: it was not. */
  readonly loweredOutputTo: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
}

export interface Refusal {
  readonly runId: string;
  readonly protocol: ProtocolName | undefined;
  /** What kind of thing was refused, e.g. `field`, `tool`, `content`, `route`. */
  readonly code: string;
  /** The field, as a path into the request (`tools[2].type`), or the route. */
  readonly field: string;
  /** What stood there, shortened; no content of messages. */
  readonly found: string;
}

export interface RefusalCount extends Refusal {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

/** A call of a run. `lost`: the process that made it died before its end. */
export interface LedgerCall extends Pick<Settlement, 'usage' | 'cost' | 'uncertain' | 'servedModel'> {
  readonly callId: string;
  readonly state: 'open' | 'settled' | 'released' | 'lost';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Of the provider's answer; 0: none came. Undefined: the call is not over. */
  readonly status: number | undefined;
  /** Why the answer is not whole, or not there. */
  readonly words: string | undefined;
  readonly firstByteMs: number | undefined;
  readonly totalMs: number | undefined;
}

export interface RunSpend {
  readonly runId: string;
  /** As `KeyInfo` has them. */
  readonly settings: string;
  readonly model: string;
  readonly revoked: boolean;
  readonly budget: NanoUsd;
  readonly settled: NanoUsd;
  /** Reserved by calls that are under way. */
  readonly reserved: NanoUsd;
  readonly uncertain: NanoUsd;
  readonly calls: number;
  /** Calls that the provider answered with success. */
  readonly answered: number;
  /** Calls that ended in an error of the provider, or that it never answered. */
  readonly failed: number;
  /** How the latest call that is over ended; undefined: none is. */
  readonly lastCall: { readonly ok: boolean; readonly status: number; readonly words: string } | undefined;
  readonly usage: Usage;
  readonly servedModels: readonly string[];
  readonly fingerprints: readonly string[];
  /** A reservation was denied with `budget`. */
  readonly budgetExhausted: boolean;
  /** Calls whose output limit was lowered for lack of money. */
  readonly lowered: number;
  readonly refusals: readonly RefusalCount[];
}

export interface Ledger {
  /** A new key, told this once. @throws Error when the run has a live key */
  createKey(run: KeyInfo): string;
  /** The key's run; undefined: unknown. A revoked key is found too, with `revoked`. */
  find(key: string): (KeyInfo & { readonly revoked: boolean }) | undefined;
  /** Keys that are not revoked, so that a new process serves the runs of the one before. */
  liveRuns(): readonly KeyInfo[];
  /**
   * Takes `wanted` from the key's budget. Where no other call of the run is under way, so that waiting brings no more: what
   * is left, if that is at least `least`. It may not be acted upon before `durable`.
   * @param callId new for every call
   */
  reserve(key: string, callId: string, wanted: NanoUsd, least: NanoUsd): Reservation;
  /** Ends a reservation with what was spent. In one transaction; a second end of a call changes nothing. */
  settle(callId: string, settlement: Settlement): void;
  /** Ends a reservation of a call that the provider did not serve (never reached: status 0, or refused): nothing is counted. */
  release(callId: string, status: number, words: string): void;
  /** Resolves when every reservation, settlement and release so far outlives this process. Rejects when it could not be written. */
  durable(): Promise<void>;
  /** No reservation is granted to the run's key from here on. Durable when it returns. */
  revoke(runId: string): void;
  recordRefusal(refusal: Refusal): void;
  /** All calls of a run, in the order in which they began. None where there is no such run. */
  calls(runId: string): readonly LedgerCall[];
  /** What a key's sums are. However many calls there were, and however often a client asks: it costs next to nothing. */
  sums(key: string): Pick<RunSpend, 'budget' | 'settled' | 'reserved' | 'uncertain'> | undefined;
  /** Undefined: no such run. */
  spend(runId: string): RunSpend | undefined;
  /** Every field and kind that was refused, over all runs, latest first. */
  refusals(): readonly RefusalCount[];
}

export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Ends early, without a throw, when `stop` is stopped. */
  wait(ms: number, stop: Stop): Promise<void>;
}

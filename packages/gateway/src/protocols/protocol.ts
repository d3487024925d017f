import { type Edit, replaceValue } from '../json/edit.ts';
import type { Found } from '../json/found.ts';
import type { MemberPaths } from '../json/member-reader.ts';
import type { JsonView } from '../json/view.ts';
import type { GatewayModel, ProtocolName, RequestSize, Usage } from '../server/ports.ts';
import type { Allowance } from './allow.ts';

/** What a request's address says. */
export interface Route {
  /** `answer` costs money, `count` (tokens) does not; `models` is answered by the gateway itself. */
  readonly operation: 'answer' | 'count' | 'models';
  /** Where the model stands in the address (Gemini; `GET /v1/models/ID`). */
  readonly model?: string | undefined;
  /** Where the address says that the answer is a stream (Gemini). */
  readonly stream?: boolean;
  /** The provider's path below its base URL, but for the model's name, which is `{model}`. */
  readonly upstreamPath: string;
}

/** What a request's body says. */
export interface Asked {
  readonly model: string | undefined;
  readonly stream: boolean;
  /** Undefined: the request has no output limit. */
  readonly outputLimit: number | undefined;
  /** A lower output limit would make the request invalid or useless. */
  readonly leastOutput: number;
  /** Answers asked for, each as long as the output limit. */
  readonly choices: number;
  readonly size: RequestSize;
}

/** What the gateway has to write into a request. */
export interface Plan {
  readonly model: GatewayModel;
  /** Undefined: the request's own stays. */
  readonly outputLimit: number | undefined;
}

/** What an answer has said so far. */
export interface Seen {
  usage: Usage | undefined;
  /** Whether `usage` is the whole answer's. */
  final: boolean;
  /** Whether the event came with which a stream ends; only where there is one (`finalAtEnd` is false). */
  ended: boolean;
  model: string | undefined;
  fingerprint: string | undefined;
  /** Number of the latest event, where events are numbered. */
  sequence: number;
  /** What the provider said went wrong within an answer that had begun. */
  error: string | undefined;
}

export type ErrorKind =
  | 'unauthorized'
  | 'wrong_model'
  | 'not_found'
  | 'refused'
  | 'malformed'
  | 'too_large'
  | 'budget'
  | 'busy'
  | 'provider'
  | 'internal';

/** An error before it is in a protocol's shape. */
export interface WireError {
  readonly kind: ErrorKind;
  readonly status: number;
  readonly message: string;
  /** The request's field that is at fault. */
  readonly field?: string | undefined;
}

/** What the gateway knows of one protocol. Without state: what belongs to a call is in `Seen`. */
export interface Protocol {
  readonly name: ProtocolName;
  /** @param path without the query. Undefined: not a route of this protocol that may be used */
  route(method: string, path: string): Route | undefined;
  /** @throws RequestRefused */
  inspect(view: JsonView, route: Route, allowance: Allowance): Asked;
  /** The request's edits, in the order of its bytes or not. */
  edits(view: JsonView, route: Route, plan: Plan): Edit[];
  /** Whether `edits` asks for a chunk with the usage that the client did not ask for, which is kept from it. */
  addsUsageChunk(view: JsonView, route: Route): boolean;
  /** The headers that carry the provider's key. */
  credentials(key: string): Readonly<Record<string, string>>;
  /** Members of an answer, or of an event of its stream, that `read` takes. */
  readonly paths: MemberPaths;
  /** Takes what was found in an answer, or in one event. */
  read(found: Found, seen: Seen): void;
  /** Whether an event is the chunk that `addsUsageChunk` tells of. */
  isUsageChunk(found: Found): boolean;
  /** Whether a stream that ends without an error has told its usage with its latest event. */
  readonly finalAtEnd: boolean;
  errorBody(error: WireError): string;
  /** The event with which a stream ends that broke off. */
  errorEvent(error: WireError, seen: Seen): string;
  /** The answer to `models`; `model` is the one that the key is for. */
  models(route: Route, model: ListedModel): string;
}

/** What a list of models tells of one. */
export type ListedModel = Pick<GatewayModel, 'name' | 'provider'> &
  Partial<Pick<GatewayModel, 'protocols' | 'maxInputTokens' | 'maxOutputTokens'>>;

export function nothingSeen(): Seen {
  return {
    usage: undefined,
    final: false,
    ended: false,
    model: undefined,
    fingerprint: undefined,
    sequence: -1,
    error: undefined,
  };
}

/** The edit that writes the provider's name of the model, where the request's is another. */
export function nameModel(view: JsonView, { upstreamModel }: GatewayModel): Edit[] {
  const node = view.member(0, 'model');
  const name = JSON.stringify(upstreamModel);
  return node < 0 || view.text(node) === name ? [] : [replaceValue(view, node, name)];
}

/** A segment of a path; as it stands if its escapes are none. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** No call has more; a sum of what it costs is within what the ledger can hold. */
const MOST_TOKENS = 1e9;

/** A count of tokens as a provider tells it: what is no number is 0. */
export function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.round(value), MOST_TOKENS) : 0;
}

/** The member `name` of what may be an object. */
export function part(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

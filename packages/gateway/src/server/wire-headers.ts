import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Of one connection (RFC 9110 §7.6.1), or made anew for the next one. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
];

/** Never sent to a provider: credentials, whom to bill, and an encoding that the gateway could not read the answer in. */
const NOT_TO_PROVIDER = new Set([
  ...HOP_BY_HOP,
  'host',
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'openai-organization',
  'openai-project',
  'accept-encoding',
  'x-http-method-override',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/** Headers by which a client tells a provider, or what stands before it, what to answer with, how long to take or whom to bill. */
const STEERING = /^(?:x-goog-(?!api-(?:client|key)$)|x-litellm-|x-envoy-|x-server-timeout$|grpc-timeout$)/;

const NOT_ONWARD = new Set([...HOP_BY_HOP, 'host']);

const NOT_TO_CLIENT = new Set([...HOP_BY_HOP.filter((name) => name !== 'content-length'), 'set-cookie']);

/** Which names pass, as they were written: clients send the same ones with every request. */
class Passing {
  readonly #kept: ReadonlySet<string>;
  readonly #known = new Map<string, boolean>();

  constructor(kept: ReadonlySet<string>) {
    this.#kept = kept;
  }

  has(written: string): boolean {
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    const name = written.toLowerCase();
    const passes = !this.#kept.has(name) && !STEERING.test(name);
    if (this.#known.size < MOST_NAMES) this.#known.set(written, passes);
    return passes;
  }
}

const MOST_NAMES = 200;
const toProvider = new Passing(NOT_TO_PROVIDER);
const onward = new Passing(NOT_ONWARD);

/** The run's key as any of the four protocols' clients send it. @param search of the address, without its `?` */
export function clientKey({ headers }: IncomingMessage, search: string): string | undefined {
  const named = headers['x-api-key'] ?? headers['x-goog-api-key'];
  if (typeof named === 'string' && named !== '') return named;
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '');
  return bearer?.[1]?.trim() ?? (search === '' ? undefined : (new URLSearchParams(search).get('key') ?? undefined));
}

/** The client's headers as they go to the provider, with the provider's key. Flat: name, value, name, value. */
export function headersToProvider(
  { rawHeaders }: IncomingMessage,
  credentials: Readonly<Record<string, string>>,
  bodyLength: number,
): string[] {
  const out: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (toProvider.has(name)) out.push(name, rawHeaders[at + 1] ?? '');
  }
  for (const [name, value] of Object.entries(credentials)) out.push(name, value);
  out.push('accept-encoding', 'identity', 'content-length', String(bodyLength));
  return out;
}

/** The client's headers as they go to another gateway, which knows the client's key. Flat: name, value, name, value. */
export function headersOnward({ rawHeaders }: IncomingMessage, bodyLength: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (onward.has(name)) out.push(name, rawHeaders[at + 1] ?? '');
  }
  if (bodyLength > 0) out.push('content-length', String(bodyLength));
  return out;
}

/** The headers of a request that was translated: of the client's own those that no protocol gives a meaning. */
export function headersOfTranslated(
  { headers }: IncomingMessage,
  own: Readonly<Record<string, string>>,
  bodyLength: number,
): string[] {
  const agent = headers['user-agent'];
  const all = { ...own, 'content-type': 'application/json', 'accept-encoding': 'identity' };
  const out = Object.entries(all).flat();
  if (agent !== undefined) out.push('user-agent', agent);
  out.push('content-length', String(bodyLength));
  return out;
}

/** The provider's headers as they go to the client. @param whole the body's bytes are all passed on, and nothing else */
export function headersToClient(headers: IncomingHttpHeaders, whole: boolean): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_TO_CLIENT.has(name)) continue;
    if (whole || name !== 'content-length') out[name] = value;
  }
  return out;
}

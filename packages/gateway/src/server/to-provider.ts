import { applyEdits } from '../json/edit.ts';
import type { Call } from './call.ts';
import type { ProtocolName } from './ports.ts';
import type { UpstreamRequest } from './upstream.ts';
import { headersOfTranslated, headersToProvider } from './wire-headers.ts';

/** Headers without which a protocol's requests are none. */
const OWN_HEADERS: Readonly<Partial<Record<ProtocolName, Readonly<Record<string, string>>>>> = {
  'anthropic-messages': { 'anthropic-version': '2023-06-01' },
};

/** The call's request as the provider gets it. @param outputLimit undefined: the request's own stays */
export function toProvider(
  { model, protocol, translation, route, view, search, request }: Call,
  outputLimit: number | undefined,
  key: string,
) {
  const body = applyEdits(view.bytes, protocol.edits(view, route, { model, outputLimit }));
  const { origin, path, ownSearch } = address(
    model.baseUrl,
    route.upstreamPath.replace('{model}', encodeURIComponent(model.upstreamModel)),
  );
  const query = search === '' || translation !== undefined ? '' : withoutKey(search);
  const credentials = key === '' ? {} : protocol.credentials(key);
  return {
    origin,
    path: path + (query === '' ? ownSearch : `${ownSearch === '' ? '?' : `${ownSearch}&`}${query}`),
    method: 'POST',
    headers:
      translation === undefined
        ? headersToProvider(request, credentials, body.length)
        : headersOfTranslated(request, { ...OWN_HEADERS[protocol.name], ...credentials }, body.length),
    body,
  } satisfies UpstreamRequest;
}

interface Address {
  readonly origin: string;
  readonly path: string;
  readonly ownSearch: string;
}

const addresses = new Map<string, Address>();
const MOST_ADDRESSES = 1000;

function address(baseUrl: string, below: string): Address {
  const whole = baseUrl + below;
  const known = addresses.get(whole);
  if (known !== undefined) return known;
  const { origin, pathname, search } = new URL(whole);
  const fresh = { origin, path: pathname, ownSearch: search };
  if (addresses.size >= MOST_ADDRESSES) addresses.clear();
  addresses.set(whole, fresh);
  return fresh;
}

function withoutKey(search: string): string {
  const pairs = search.split('&').filter((pair) => !new URLSearchParams(pair).has('key'));
  return pairs.join('&');
}

import { applyEdits } from '../json/edit.ts';
import type { Call } from './call.ts';
import type { UpstreamRequest } from './upstream.ts';
import { headersToProvider } from './wire-headers.ts';

/** The call's request as the provider gets it. @param outputLimit undefined: the request's own stays */
export function toProvider(
  { model, protocol, route, view, search, request }: Call,
  outputLimit: number | undefined,
  key: string,
) {
  const body = applyEdits(view.bytes, protocol.edits(view, route, { model, outputLimit }));
  const { origin, path, ownSearch } = address(
    model.baseUrl,
    route.upstreamPath.replace('{model}', encodeURIComponent(model.upstreamModel)),
  );
  const query = search === '' ? '' : withoutKey(search);
  return {
    origin,
    path: path + (query === '' ? ownSearch : `?${query}`),
    method: 'POST',
    headers: headersToProvider(request, key === '' ? {} : protocol.credentials(key), body.length),
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

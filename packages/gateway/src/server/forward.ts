import type { IncomingMessage, ServerResponse } from 'node:http';
import { GATEWAY_PATH } from '@ssebench/contracts/layout';
import { JsonError, scanJson } from '../json/scan.ts';
import type { JsonView } from '../json/view.ts';
import { findRoute, protocolOf } from '../protocols/all.ts';
import { RequestRefused } from '../protocols/allow.ts';
import { anthropicMessages } from '../protocols/anthropic-messages.ts';
import type { Asked, Protocol, Route, WireError } from '../protocols/protocol.ts';
import { callProvider } from './exchange.ts';
import { faults } from './faults.ts';
import type { Gateway } from './gateway.ts';
import { sendError, sendJson } from './http.ts';
import type { KeyInfo } from './ports.ts';
import { readBody } from './read-body.ts';
import { allowanceOf } from './run-settings.ts';
import { clientKey } from './wire-headers.ts';

const HEALTH = new Set(['/', '/health', '/health/liveliness']);

/**
 * Serves one request of a client: who asks, what for, is it allowed; then to the provider.
 * @param boundTo the run whose socket it came on; a key of another run is unknown there
 */
export async function serve(gateway: Gateway, request: IncomingMessage, response: ServerResponse, boundTo?: string) {
  const [path, search] = split(request.url ?? '/');
  const method = request.method ?? 'GET';
  if (method !== 'POST' && HEALTH.has(path)) return sendJson(response, 200, '{"status":"ok"}');

  const found = findRoute(method, path);
  const protocol =
    found && speaksAnthropic(request, found.route) ? anthropicMessages : (found?.protocol ?? protocolOf(path));
  const fail = (error: WireError) => sendError(response, protocol, error);

  const key = clientKey(request, new URLSearchParams(search));
  const run = key === undefined ? undefined : gateway.ledger.find(key);
  if (key === undefined || run === undefined || run.revoked || (boundTo !== undefined && boundTo !== run.runId)) {
    return fail(faults.unauthorized());
  }
  if (method === 'POST' && path === GATEWAY_PATH.revoke) {
    gateway.ledger.revoke(run.runId);
    await gateway.calls.abort(run.runId);
    return sendJson(response, 200, '{}');
  }
  if (found === undefined) {
    const refusal = { runId: run.runId, protocol: undefined, code: 'route', field: path.slice(0, 100), found: method };
    gateway.ledger.recordRefusal(refusal);
    return fail(faults.noRoute(method, path));
  }
  const model = gateway.catalog.get(run.model);
  if (model === undefined) return fail(faults.notServed(run.model, 'the files of models do not have it any more'));
  if (found.route.operation === 'models') {
    const other = found.route.model !== undefined && found.route.model !== run.model;
    if (other) return fail(faults.wrongModel(found.route.model ?? '', run.model));
    return sendJson(response, 200, protocol.models(found.route, model));
  }

  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return fail(faults.encoded(encoding));
  const body = await readBody(request, gateway.limits.bodyBytes);
  if ('failed' in body)
    return body.failed === 'too_large' ? fail(faults.tooLarge(gateway.limits.bodyBytes)) : undefined;

  const looked = look(gateway, run, protocol, found.route, body.bytes);
  if ('error' in looked) return fail(looked.error);
  const { view, asked } = looked;
  if (asked.model !== run.model) return fail(faults.wrongModel(asked.model ?? '', run.model));
  if (!model.protocols.includes(protocol.name)) {
    return fail(faults.notServed(run.model, `its provider does not speak ${protocol.name}`));
  }
  const call = { key, run, model, protocol, route: found.route, view, asked, search, request, response };
  return callProvider(gateway, call);
}

function split(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** `GET /v1/models` is the one path that two protocols share. */
function speaksAnthropic(request: IncomingMessage, route: Route): boolean {
  return route.operation === 'models' && request.headers['anthropic-version'] !== undefined;
}

type Looked = { readonly view: JsonView; readonly asked: Asked } | { readonly error: WireError };

/** Reads the body and checks it against what the run may ask for; a refusal is recorded. */
function look(gateway: Gateway, run: KeyInfo, protocol: Protocol, route: Route, bytes: Buffer): Looked {
  try {
    const view = scanJson(bytes);
    if (view.kind(0) !== 'object') return { error: faults.malformed('the body is no JSON object') };
    const asked = protocol.inspect(view, route, allowanceOf(run.settings));
    const { outputLimit, choices } = asked;
    if (asked.model === undefined) return { error: faults.malformed('model: a name is missing', 'model') };
    if (outputLimit !== undefined && !(Number.isSafeInteger(outputLimit) && outputLimit >= 0)) {
      return { error: faults.malformed('the output limit is no number of tokens') };
    }
    if (!(Number.isSafeInteger(choices) && choices >= 1))
      return { error: faults.malformed('n is no number of answers', 'n') };
    return { view, asked };
  } catch (error) {
    if (error instanceof JsonError) return { error: faults.malformed(`the body is no JSON: ${error.message}`) };
    if (!(error instanceof RequestRefused)) throw error;
    const { code, field, found } = error;
    gateway.ledger.recordRefusal({ runId: run.runId, protocol: protocol.name, code, field, found });
    return { error: faults.refused(error) };
  }
}

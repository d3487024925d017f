import type { IncomingMessage } from 'node:http';
import { GATEWAY_PATH } from '@ssebench/contracts/layout';
import { findRoute, protocolOf } from '../protocols/all.ts';
import { anthropicMessages } from '../protocols/anthropic-messages.ts';
import type { Route, WireError } from '../protocols/protocol.ts';
import { recordExchange } from '../recording/record-exchange.ts';
import type { RecordedResponse } from '../recording/recorded-response.ts';
import { cleanPath } from '../recording/secrets.ts';
import { serveReplay } from '../replay/serve-replay.ts';
import { leftJson } from './admin-json.ts';
import { callProvider } from './exchange.ts';
import { faults } from './faults.ts';
import type { Gateway } from './gateway.ts';
import { sendError, sendJson } from './http.ts';
import { type Looked, look, lookAtQuery } from './look.ts';
import { readBody } from './read-body.ts';
import { settingsOf } from './run-settings.ts';
import { translated } from './translated-call.ts';
import { clientKey } from './wire-headers.ts';

const NOT_THERE = 'the files of models do not have it any more';
const HEALTH = new Set(['/', '/health', '/health/liveliness']);

/**
 * Serves one request of a client: who asks, what for, is it allowed; then to the provider.
 * @param boundTo the run whose socket it came on; a key of another run is unknown there
 */
export async function serve(gateway: Gateway, request: IncomingMessage, response: RecordedResponse, boundTo?: string) {
  const [path, search] = split(request.url ?? '/');
  const method = request.method ?? 'GET';
  if (method !== 'POST' && HEALTH.has(path)) return sendJson(response, 200, '{"status":"ok"}');

  const found = findRoute(method, path);
  const protocol =
    found && speaksAnthropic(request, found.route) ? anthropicMessages : (found?.protocol ?? protocolOf(path));
  const fail = (error: WireError) => sendError(response, protocol, error);

  const key = clientKey(request, search);
  const run = key === undefined ? undefined : gateway.ledger.find(key);
  if (key === undefined || run === undefined || run.revoked || (boundTo !== undefined && boundTo !== run.runId)) {
    return fail(faults.unauthorized());
  }
  if (method === 'POST' && path === GATEWAY_PATH.revoke) {
    gateway.ledger.revoke(run.runId);
    await gateway.calls.abort(run.runId);
    return sendJson(response, 200, '{}');
  }
  if (method === 'GET' && path === GATEWAY_PATH.left) {
    const sums = gateway.ledger.sums(key);
    return sums ? sendJson(response, 200, JSON.stringify(leftJson(sums))) : fail(faults.unauthorized());
  }
  if (found === undefined) {
    const refusal = { runId: run.runId, protocol: undefined, code: 'route', field: path.slice(0, 100), found: method };
    gateway.ledger.recordRefusal(refusal);
    return fail(faults.noRoute(method, path));
  }
  const { allowance, record, replay } = settingsOf(run.settings);
  const model = gateway.catalog.get(run.model);
  if (model === undefined && replay === undefined) return fail(faults.notServed(run.model, NOT_THERE));
  if (found.route.operation === 'models') {
    const other = found.route.model !== undefined && found.route.model !== run.model;
    if (other) return fail(faults.wrongModel(found.route.model ?? '', run.model));
    return sendJson(response, 200, protocol.models(found.route, model ?? { name: run.model, provider: 'compatible' }));
  }

  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return fail(faults.encoded(encoding));
  const { bodies, limits } = gateway;
  const body = await readBody(request, limits.bodyBytes, bodies.for(run.runId, response));
  if ('failed' in body) {
    const error = faults.body(body.failed, limits.bodyBytes);
    return error && fail(error);
  }

  if (record !== undefined) {
    const whole = { runId: run.runId, key, protocol: protocol.name, request, body: body.bytes, response };
    await recordExchange(gateway.recordings, record, whole, model);
  }
  if (replay !== undefined) {
    const source = await gateway.replays.of(run.runId, replay, record);
    const question = { protocol: protocol.name, path: cleanPath(request.url ?? '/'), body: body.bytes, key };
    return serveReplay(source, protocol, question, response);
  }
  if (model === undefined) return fail(faults.notServed(run.model, NOT_THERE));

  const refuse = ({ error, refused }: Extract<Looked, { error: WireError }>) => {
    if (refused) {
      const { code, field, found: what } = refused;
      gateway.ledger.recordRefusal({ runId: run.runId, protocol: protocol.name, code, field, found: what });
    }
    return fail(error);
  };
  const { route } = found;
  const looked = lookAtQuery(search, allowance) ?? look(protocol, route, body.bytes, allowance);
  if ('error' in looked) return refuse(looked);
  const { view, asked } = looked;
  if (asked.model !== run.model) return fail(faults.wrongModel(asked.model, run.model));
  const spoken = model.protocols.includes(protocol.name)
    ? { protocol, route, view, asked }
    : translated(protocol, route, view, model, allowance);
  if ('error' in spoken) return refuse(spoken);
  return callProvider(gateway, { key, run, model, client: protocol, ...spoken, search, request, response });
}

function split(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** `GET /v1/models` is the one path that two protocols share. */
function speaksAnthropic(request: IncomingMessage, route: Route): boolean {
  return route.operation === 'models' && request.headers['anthropic-version'] !== undefined;
}

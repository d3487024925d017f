import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GATEWAY_PATH } from '@ssebench/contracts/layout';
import { findRoute, protocolOf } from '../protocols/all.ts';
import type { Protocol, Route, WireError } from '../protocols/protocol.ts';
import { recordExchange } from '../recording/record-exchange.ts';
import type { RecordedResponse } from '../recording/recorded-response.ts';
import { faults, providerWords, redact } from './faults.ts';
import type { Forward } from './forwards.ts';
import type { Gateway } from './gateway.ts';
import { sendError, sendJson } from './http.ts';
import { look, lookAtQuery } from './look.ts';
import { PlainAnswer } from './plain-answer.ts';
import { readBody } from './read-body.ts';
import { Stop } from './stop.ts';
import type { AttemptEnd } from './upstream.ts';
import { clientKey, headersOnward, headersToClient } from './wire-headers.ts';

/** One call of a run whose gateway is another one. */
interface Passed {
  readonly request: IncomingMessage;
  readonly response: RecordedResponse;
  readonly protocol: Protocol;
  readonly key: string;
  readonly body: Buffer;
  /** It may cost something. */
  readonly counts: boolean;
}

/**
 * Passes a client's request on to another gateway: path, headers (its key among them) and body as they are, the answer as it
 * comes. What the run may not ask for does not pass; all that has to do with money is the other gateway's.
 */
export async function serveForward(
  gateway: Gateway,
  forward: Forward,
  request: IncomingMessage,
  response: RecordedResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  if (method !== 'POST' && (path === '/' || path.startsWith('/health')))
    return sendJson(response, 200, '{"status":"ok"}');

  const found = findRoute(method, path);
  const protocol = found?.protocol ?? protocolOf(path);
  const fail = (error: WireError) => sendError(response, protocol, error);
  const key = clientKey(request, search);
  if (key === undefined || forward.closed || hash('sha256', key) !== forward.keyHash)
    return fail(faults.unauthorized());
  if (method === 'POST' && path === GATEWAY_PATH.revoke) {
    forward.revoke();
    await gateway.calls.abort(forward.runId);
    return sendJson(response, 200, '{}');
  }
  // What is left is in the other gateway's books; that nobody here can tell is no refusal.
  if (method === 'GET' && path === GATEWAY_PATH.left) return fail(faults.noRoute(method, path));
  if (found === undefined) {
    forward.refused(undefined, { code: 'route', field: path.slice(0, 100), found: method });
    return fail(faults.noRoute(method, path));
  }
  const { route } = found;
  const body = route.operation === 'models' ? Buffer.alloc(0) : await wholeBody(gateway, forward, request, response);
  if (body === undefined) return;
  if (!Buffer.isBuffer(body)) return fail(body);
  if (route.operation !== 'models') {
    const { runId, kept } = forward;
    const whole = { runId, key, protocol: protocol.name, request, body, response };
    if (kept.record !== null) await recordExchange(gateway.recordings, kept.record, whole, undefined);
    const refused = refusal(forward, { protocol, route, search, body });
    if (refused !== undefined) return fail(refused);
  }
  await pass(gateway, forward, { request, response, protocol, key, body, counts: route.operation === 'answer' });
}

/** Undefined when its client went away. */
async function wholeBody(
  { limits, bodies }: Gateway,
  { runId }: Forward,
  request: IncomingMessage,
  response: RecordedResponse,
): Promise<Buffer | WireError | undefined> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return faults.encoded(encoding);
  const body = await readBody(request, limits.bodyBytes, bodies.for(runId, response));
  return 'failed' in body ? faults.body(body.failed, limits.bodyBytes) : body.bytes;
}

/** Why a request does not pass; undefined: the run may make it. */
function refusal(
  forward: Forward,
  { protocol, route, search, body }: { protocol: Protocol; route: Route; search: string; body: Buffer },
): WireError | undefined {
  if (forward.closed) return faults.unauthorized();
  const looked = lookAtQuery(search, forward.allowance) ?? look(protocol, route, body, forward.allowance);
  if ('error' in looked) {
    if (looked.refused) forward.refused(protocol.name, looked.refused);
    return looked.error;
  }
  return looked.asked.model === forward.model ? undefined : faults.wrongModel(looked.asked.model, forward.model);
}

async function pass(gateway: Gateway, forward: Forward, call: Passed): Promise<void> {
  const { request, response, body } = call;
  const stop = new Stop();
  response.on('close', () => stop.stop());
  if (response.closed) stop.stop();
  const { origin, pathname } = new URL(forward.baseUrl);
  const sent = {
    origin,
    path: pathname.replace(/\/+$/, '') + (request.url ?? '/'),
    method: request.method === 'GET' ? ('GET' as const) : ('POST' as const),
    headers: headersOnward(request, body.length),
    body,
  };
  if (call.counts) forward.began();
  const answer = new PlainAnswer(response, gateway.clock);
  await gateway.calls.track(forward.runId, stop, async () => {
    const end = await gateway.upstream.attempt(sent, answer, stop);
    const stalled = end.end === 'broken' && answer.stalledMs >= gateway.limits.stallMs;
    if (call.counts) forward.ended(outcome(stalled ? { end: 'aborted', sent: true } : end, call.key));
    if (end.end === 'whole') answer.end();
    else fail(end, call, forward.baseUrl);
  });
}

function fail(end: AttemptEnd, { response, protocol }: Passed, baseUrl: string): void {
  if (end.end === 'status') {
    const headers = { ...headersToClient(end.headers, false), 'content-length': String(end.body.length) };
    response.writeHead(end.status, headers).end(end.body);
  } else if (end.end === 'unreached' || end.end === 'unanswered') {
    sendError(response, protocol, faults.provider(`the gateway at ${baseUrl} did not answer: ${end.words}`));
  } else response.destroy();
}

/** How a call ended, for the run's record. */
export interface CallOutcome {
  readonly ok: boolean;
  /** 0: there was no answer. */
  readonly status: number;
  readonly words: string;
  /** The other gateway and the provider are not to blame. */
  readonly aborted: boolean;
  readonly budgetExhausted: boolean;
}

function outcome(end: AttemptEnd, key: string): CallOutcome {
  const none = { ok: false, status: 0, words: '', aborted: false, budgetExhausted: false };
  if (end.end === 'whole') return { ...none, ok: true, status: 200 };
  if (end.end === 'aborted') return { ...none, aborted: true };
  if (end.end !== 'status') return { ...none, words: end.words };
  const words = redact(providerWords(end.body), key);
  return { ...none, status: end.status, words, budgetExhausted: isSpentBudget(end.body) };
}

/** LiteLLM's error of a budget that is spent; its status is another one in every other version (400, 422, 429). */
function isSpentBudget(body: Buffer): boolean {
  try {
    const said: unknown = JSON.parse(body.toString());
    const error = typeof said === 'object' && said !== null && 'error' in said ? said.error : undefined;
    return typeof error === 'object' && error !== null && 'type' in error && error.type === 'budget_exceeded';
  } catch {
    return false;
  }
}

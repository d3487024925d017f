import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WireError } from '../protocols/protocol.ts';
import { Answer, type CallAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { faults, providerWords, redact } from './faults.ts';
import type { Gateway } from './gateway.ts';
import { sendError, sendJson } from './http.ts';
import type { Clock, Denial, NanoUsd, Usage } from './ports.ts';
import { retryDelay } from './retry.ts';
import { Stop } from './stop.ts';
import { toProvider } from './to-provider.ts';
import { TranslatedAnswer } from './translated-answer.ts';
import type { AttemptEnd, UpstreamRequest } from './upstream.ts';
import { headersToClient } from './wire-headers.ts';

const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };

/** Money that was taken for a call before it is made. */
interface Reserved {
  readonly callId: string;
  readonly amount: NanoUsd;
  /** What the request's output limit becomes; undefined: it stays. */
  readonly outputLimit: number | undefined;
  readonly loweredOutputTo: number | undefined;
}

/** Makes a call that was looked at: reserve, send, pass the answer on, settle. Ends with the client's connection or the run. */
export async function callProvider(gateway: Gateway, call: Call): Promise<void> {
  const stop = new Stop();
  call.response.on('close', () => stop.stop());
  if (call.response.closed) stop.stop();
  await gateway.calls.track(call.run.runId, stop, () => paidCall(gateway, call, stop));
}

async function paidCall(gateway: Gateway, call: Call, stop: Stop): Promise<void> {
  const started = gateway.clock.now();
  // What costs nothing reserves nothing, which would tell of a key that was revoked while the request came.
  if (call.route.operation === 'count' && gateway.ledger.find(call.key)?.revoked !== false) {
    sendError(call.response, call.client, faults.unauthorized());
    return;
  }
  let key: string;
  try {
    key = call.model.apiKey();
  } catch (error) {
    sendError(call.response, call.client, faults.provider((error as Error).message));
    return;
  }
  const reserved = call.route.operation === 'count' ? undefined : await reserve(gateway, call, stop);
  if (reserved !== undefined && 'error' in reserved) {
    if (reserved.error !== undefined) sendError(call.response, call.client, reserved.error);
    else call.response.destroy();
    return;
  }
  if (reserved !== undefined && call.response.recorder) call.response.recorder.callId = reserved.callId;
  const answer = answerTo(call, gateway.clock);
  const last = await attempts(gateway, toProvider(call, reserved?.outputLimit, key), answer, stop);
  await finish(gateway, call, { reserved, answer, last, key, started });
}

function answerTo({ client, protocol, translation, response, view, route }: Call, clock: Clock): CallAnswer {
  if (translation === undefined) return new Answer(protocol, response, protocol.addsUsageChunk(view, route), clock);
  return new TranslatedAnswer({ provider: protocol, client, response }, translation, clock);
}

async function reserve(
  { ledger, pricing, calls, clock, limits }: Gateway,
  { key, run, model, asked }: Call,
  stop: Stop,
): Promise<Reserved | { readonly error: WireError | undefined }> {
  const limit =
    asked.outputLimit ?? Math.min(model.defaultOutputTokens, model.maxOutputTokens ?? model.defaultOutputTokens);
  const wanted = pricing.upperBound(model, asked.size, limit * asked.choices);
  const least = pricing.upperBound(model, asked.size, Math.min(asked.leastOutput, limit) * asked.choices);
  if (wanted === undefined || least === undefined)
    return { error: faults.notServed(run.model, 'no price is known for it') };
  const callId = randomUUID();
  const until = clock.now() + limits.waitMs;
  const affordable = (amount: NanoUsd) =>
    Math.floor(pricing.affordableOutput(model, asked.size, amount) / asked.choices);
  for (;;) {
    const got = ledger.reserve(key, callId, wanted, least);
    if (got.granted) {
      await ledger.durable();
      const outputLimit = got.amount < wanted ? Math.min(limit, affordable(got.amount)) : limit;
      const loweredOutputTo = outputLimit < limit ? outputLimit : undefined;
      const kept = outputLimit === asked.outputLimit;
      return { callId, amount: got.amount, outputLimit: kept ? undefined : outputLimit, loweredOutputTo };
    }
    const denied = denial(got.reason, run.budget, got.left);
    if (denied.kind !== 'busy') return { error: denied };
    const wait = until - clock.now();
    if (wait <= 0) return { error: denied };
    await calls.nextEnd(run.runId, stop, wait);
    if (stop.stopped) return { error: undefined };
  }
}

function denial(reason: Denial, budget: NanoUsd, left: NanoUsd): WireError {
  if (reason === 'budget') return faults.budget(budget, left);
  return reason === 'reserved' || reason === 'concurrency' ? faults.busy(reason) : faults.unauthorized();
}

/**
 * Attempts until one is not to be tried again, or the call is stopped: then the one that failed before counts, not that nobody
 * waited for the next. Only the last one's answer has reached `answer`.
 */
async function attempts(
  { upstream, clock, limits }: Gateway,
  request: UpstreamRequest,
  answer: CallAnswer,
  stop: Stop,
): Promise<AttemptEnd> {
  for (let made = 1; ; made++) {
    const last = await upstream.attempt(request, answer, stop);
    const delay = retryDelay(last, made, Math.random(), Date.now(), limits.retry);
    if (delay === undefined) return last;
    await clock.wait(delay, stop);
    if (stop.stopped) return last;
  }
}

interface Finished {
  readonly reserved: Reserved | undefined;
  readonly answer: CallAnswer;
  readonly last: AttemptEnd;
  readonly key: string;
  readonly started: number;
}

/** Settles, and then lets the client know how it ended. */
async function finish(gateway: Gateway, call: Call, finished: Finished): Promise<void> {
  const { answer, last, key } = finished;
  const { response, client } = call;
  if (last.end === 'whole') answer.whole();
  if (last.end === 'whole' && !answer.cutShort) {
    settle(gateway, call, finished, answer.seen.error && `the provider said: ${redact(answer.seen.error, key)}`);
    await gateway.ledger.durable();
    answer.end();
  } else if (last.end === 'status') {
    const said = redact(providerWords(last.body), key);
    release(gateway, finished, last.status, said);
    await gateway.ledger.durable();
    const error = providerFault(last.status, said);
    if (error === undefined) passOn(call, last, key);
    else sendError(response, client, error);
  } else {
    const stalled = answer.stalledMs >= gateway.limits.stallMs;
    const words = redact(howItFailed(last, { gone: response.closed, stalled }), key);
    const sent = last.end === 'aborted' ? last.sent : last.end !== 'unreached';
    if (sent) settle(gateway, call, finished, words);
    else release(gateway, finished, 0, words);
    await gateway.ledger.durable();
    if (answer.status > 0) answer.breakOff(faults.provider(words));
    else sendError(response, client, faults.provider(words));
  }
}

function howItFailed(
  last: Exclude<AttemptEnd, { end: 'status' }>,
  client: { readonly gone: boolean; readonly stalled: boolean },
): string {
  if (client.stalled && last.end !== 'aborted') return 'the client took no more of it, and the provider broke off';
  switch (last.end) {
    case 'aborted':
      return client.gone ? 'the client went away' : 'the run has ended';
    case 'whole':
      return 'the provider broke off: the stream ended early';
    case 'broken':
      return `the provider broke off: ${last.words}`;
    case 'unanswered':
      return `the provider did not answer: ${last.words}`;
    case 'unreached':
      return `the provider can't be reached: ${last.words}`;
  }
}

/** What the client is told in our words. Undefined: the provider's answer is about the request, and goes on as it is. */
function providerFault(status: number, said: string): WireError | undefined {
  if (status < 400) return faults.provider(`the provider answered with a redirect (${status}), which is not followed`);
  if (status === 401) return faults.provider(`the provider did not take the gateway's key (401): ${said}`);
  return status >= 500 ? faults.provider(`the provider answered ${status}: ${said}`) : undefined;
}

function passOn({ response, translation }: Call, last: AttemptEnd & { end: 'status' }, key: string): void {
  const body = last.body.toString('utf8');
  const clean = redact(body, key);
  if (response.destroyed) return;
  const headers = headersToClient(last.headers, false);
  if (translation !== undefined) {
    sendJson(response, last.status, translation.error(last.status, Buffer.from(clean)), again(last.headers));
    return;
  }
  if (clean !== body) {
    sendJson(response, last.status, clean);
    return;
  }
  response.writeHead(last.status, { ...headers, 'content-length': String(last.body.length) });
  response.end(last.body);
}

/** When the client may try again, where the provider said so. */
function again({ 'retry-after': after }: IncomingHttpHeaders): Record<string, string> {
  return after === undefined ? {} : { 'retry-after': after };
}

function release({ ledger }: Gateway, { reserved }: Finished, status: number, words: string): void {
  if (reserved !== undefined) ledger.release(reserved.callId, status, words);
}

/** What is certain is spent; of the rest of a call whose usage was not told to the end, nobody knows. */
function settle(
  { ledger, pricing, clock }: Gateway,
  { model }: Call,
  { reserved, answer, started }: Finished,
  failure: string | undefined,
): void {
  if (reserved === undefined) return;
  const { seen } = answer;
  const usage = seen.usage ?? NO_USAGE;
  const cost = pricing.costOf(model, usage);
  const rest = reserved.amount - cost;
  ledger.settle(reserved.callId, {
    usage,
    cost,
    uncertain: seen.final || rest < 0n ? 0n : rest,
    servedModel: seen.model,
    fingerprint: seen.fingerprint,
    status: answer.status,
    failure,
    loweredOutputTo: reserved.loweredOutputTo,
    firstByteMs: answer.firstByteAt === undefined ? undefined : answer.firstByteAt - started,
    totalMs: clock.now() - started,
  });
}

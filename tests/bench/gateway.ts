/**
 * `npm run bench -- gateway [--no-litellm]`: what the gateway costs. Beside it, in the same rounds: a bare reverse proxy of `node:http`
 * and `undici`, and LiteLLM where it installs. The last line is one JSON object of figures; medians of rounds, ratios within
 * a round.
 *
 * - `rps`: small requests a second at 1, 16 and 64 parallel, the gateway's with key check, reservation and settlement on disk.
 *   `rps_ratio_bare`, `rps_ratio_litellm`: the gateway's over theirs at 16 parallel. `added_p50_ms`: at the median, one at a time.
 * - `cpu_us_per_request`: what all threads of the gateway, and of the bare proxy, took of the processors for each, at 16
 *   parallel; `cpu_ratio_bare`: the bare proxy's over the gateway's. Beside `rps` these hold on a machine that does other things, too.
 * - `first_byte_ratio`, `first_byte_p99_ms`: of 50 parallel streams, against the bare proxy's.
 * - `memory_mb`: the most that the gateway's process took: over 100,000 small requests, with answers of 100 MB, with 200 streams
 *   that the provider sends slowly, and with 200 that the client reads slowly.
 * - `budget_overruns`: runs, of many with a small budget that parallel calls and cut streams beset, that spent more.
 * - `recording_ratio`: requests a second of a run that is recorded over those of one that is not, at 16 parallel.
 * - `translated_ratio`: first bytes of translated streams against the same protocol's pass-through.
 * - `start_ms`: until a gateway that was not there answers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, report, round } from './support/figures.ts';
import { EmbeddedGateway, startTime } from './support/gateway/embedded.ts';
import { type Api, PATHS, PRICES, requestBody, requestHeaders, TOKENS } from './support/gateway/exchanges.ts';
import { LiteLlm } from './support/gateway/litellm.ts';
import type { Load, LoadResult } from './support/gateway/load-process.ts';
import { cpuTime } from './support/gateway/process-cpu.ts';
import { forgetPeak, peakMemory, proportionalMemory } from './support/gateway/process-memory.ts';
import type { Listening } from './support/gateway/provider-process.ts';
import { Worker } from './support/gateway/worker.ts';

const ROUNDS = 5;
const ROUND_MS = 1000;
/** Until the code is compiled that all rounds run. */
const WARM_MS = 4000;
const REQUESTS = 100_000;
const STREAMS = 50;
const SLOW_STREAMS = 200;
const BUDGETED_RUNS = 12;

const { values: options } = parseArgs({ options: { 'no-litellm': { type: 'boolean', default: false } } });

/** Somebody who can be asked for answers. */
interface Subject {
  port: number;
  /** Before the protocol's path. */
  prefix: string;
  key: string;
  model: string;
  /** Of the process that answers; undefined: its time is not looked at. */
  pid?: number;
}

const directory = mkdtempSync(join(tmpdir(), 'gw-bench-'));
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../.cache/compile');
try {
  report(await measure());
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<Record<string, unknown>> {
  const program = (name: string) => new URL(`support/gateway/${name}-process.ts`, import.meta.url);
  await using provider = new Worker<object, Listening>(program('provider'));
  await using proxy = new Worker<object, Listening>(program('bare-proxy'));
  await using load = new Worker<Load, LoadResult>(program('load'));
  const { port } = await provider.ask({});
  const { port: proxyPort } = await proxy.ask({ origin: `http://127.0.0.1:${port}` });
  const bare = (model: string): Subject => ({
    port: proxyPort,
    prefix: `/${model}`,
    key: 'sk-none',
    model,
    pid: proxy.pid,
  });
  await using gateway = await EmbeddedGateway.start(directory, port);
  const { pid } = gateway;

  const small = await subject(gateway, 'small');
  const requests = { bare: bare('small'), gateway: small };
  await rounds(load, 'chat', requests, { parallel: 16, ms: WARM_MS }, 1);
  forgetPeak(pid);
  const before = peakMemory(pid);
  const one = await rounds(load, 'chat', requests, { parallel: 1 }, ROUNDS);
  const many = await rounds(load, 'chat', requests, { parallel: 64 }, ROUNDS);
  const litellm = await besideLiteLlm(load, requests, `http://127.0.0.1:${port}/small/v1`);
  const { middle } = litellm;
  const recorded = await subject(gateway, 'small', { record: join(directory, 'exchanges') });
  const recordings = await rounds(load, 'chat', { plain: small, recorded }, { parallel: 16 }, ROUNDS);

  const streams = await rounds(
    load,
    'messages',
    { bare: bare('stream'), gateway: await subject(gateway, 'stream-messages') },
    { parallel: STREAMS, ms: 2000 },
    3,
  );
  const translated = await translatedStreams(load, gateway);

  const memory: Record<string, number> = { before };
  const ask = async (name: string, model: string, shape: Partial<Load>) => {
    const from = await subject(gateway, model);
    forgetPeak(pid);
    const result = await load.ask(orderOf('messages', from, { parallel: 1, ...shape }, model !== 'small-messages'));
    requireWhole(name, result);
    memory[name] = peakMemory(pid);
  };
  memory['mixed'] = peakMemory(pid);
  await ask('requests', 'small-messages', { parallel: 16, requests: REQUESTS });
  memory['requests_pss'] = proportionalMemory(pid);
  await ask('large', 'large-messages', { requests: 2 });
  await ask('slow_provider', 'slow-messages', { parallel: SLOW_STREAMS, requests: SLOW_STREAMS });
  await ask('slow_client', 'flood-messages', { parallel: SLOW_STREAMS, requests: SLOW_STREAMS, readEvery: 20 });

  const overruns = await budgetOverruns(load, gateway);
  const starts: number[] = [];
  for (let index = 0; index < ROUNDS; index++) starts.push(await startTime(directory));
  return {
    rps: { one: rates(one), middle: rates(middle), many: rates(many) },
    rps_ratio_bare: ratio(middle, rate, 'gateway', 'bare'),
    rps_ratio_litellm: litellm.figures && ratio(middle, rate, 'gateway', 'litellm'),
    cpu_us_per_request: each(middle, ({ cpu }) => cpu),
    cpu_ratio_bare: ratio(middle, ({ cpu }) => 1 / cpu, 'gateway', 'bare'),
    litellm: litellm.figures,
    latency_p50_ms: each(one, ({ whole }) => whole.p50),
    added_p50_ms: round(
      median(one.map(({ gateway: ours, bare: theirs }) => (ours?.whole.p50 ?? Number.NaN) - (theirs?.whole.p50 ?? 0))),
    ),
    first_byte_p50_ms: each(streams, ({ firstByte }) => firstByte.p50),
    first_byte_all_p99_ms: each(streams, ({ firstByte }) => firstByte.p99),
    first_byte_ratio: ratio(streams, ({ firstByte }) => firstByte.p50, 'gateway', 'bare'),
    first_byte_p99_ms: round(median(streams.map(({ gateway: ours }) => ours?.firstByte.p99 ?? Number.NaN))),
    recording_ratio: ratio(recordings, rate, 'recorded', 'plain'),
    translated_ratio: translated,
    memory,
    memory_mb: Math.max(...Object.values(memory)),
    budget_overruns: overruns,
    start_ms: Math.round(median(starts)),
  };
}

async function subject(gateway: EmbeddedGateway, model: string, more: object = {}): Promise<Subject> {
  const { key } = await gateway.newRun(model, undefined, more);
  return { port: gateway.port, prefix: '', key, model, pid: gateway.pid };
}

function orderOf(api: Api, { port, prefix, key, model }: Subject, shape: Partial<Load>, stream = false): Load {
  const body = requestBody(api, model, { stream });
  return { port, path: prefix + PATHS[api], headers: requestHeaders(key), body, parallel: 1, ...shape };
}

/** `cpu`: microseconds of the processors for each answer. */
type Measured = LoadResult & { cpu: number };
type Round = Record<string, Measured>;

/** Every subject in turn, several times over. */
async function rounds(
  load: Worker<Load, LoadResult>,
  api: Api,
  subjects: Readonly<Record<string, Subject>>,
  shape: Partial<Load>,
  times: number,
): Promise<Round[]> {
  const all: Round[] = [];
  for (let index = 0; index < times; index++) {
    const results: Round = {};
    for (const [name, from] of Object.entries(subjects)) {
      const stream = from.model.startsWith('stream');
      const before = timeOf(from);
      const result = await load.ask(orderOf(api, from, { ms: ROUND_MS, ...shape }, stream));
      results[name] = { ...result, cpu: (timeOf(from) - before) / result.answers };
      requireWhole(name, result);
    }
    all.push(results);
  }
  return all;
}

function timeOf({ pid }: Subject): number {
  return pid === undefined ? Number.NaN : cpuTime(pid);
}

function requireWhole(name: string, { answers, statuses, broken }: LoadResult): void {
  if (broken > 0 || statuses['200'] !== answers)
    throw new Error(`${name}: ${JSON.stringify(statuses)}, ${broken} broken`);
}

async function besideLiteLlm(load: Worker<Load, LoadResult>, subjects: Record<string, Subject>, apiBase: string) {
  const cache = join(import.meta.dirname, '../../.cache');
  await using litellm = options['no-litellm'] ? undefined : await LiteLlm.start(cache, directory, apiBase);
  const all = { ...subjects };
  if (litellm) {
    const { port, key } = litellm;
    all['litellm'] = { port, key, prefix: '', model: 'small' };
    await rounds(load, 'chat', { litellm: all['litellm'] }, { parallel: 16 }, 1);
  }
  const middle = await rounds(load, 'chat', all, { parallel: 16 }, ROUNDS);
  const figures = litellm ? { start_ms: litellm.startMs, memory_mb: litellm.memoryMb } : null;
  return { middle, figures };
}

/** Null: the gateway does not translate. */
async function translatedStreams(load: Worker<Load, LoadResult>, gateway: EmbeddedGateway): Promise<number | null> {
  const translated = await subject(gateway, 'stream');
  const { statuses } = await load.ask(orderOf('messages', translated, { requests: 1 }, true));
  if (statuses['200'] === undefined) return null;
  const subjects = { translated, same: await subject(gateway, 'stream-messages') };
  const all = await rounds(load, 'messages', subjects, { parallel: STREAMS, ms: 2000 }, 3);
  return ratio(all, ({ firstByte }) => firstByte.p50, 'translated', 'same');
}

/** Of the runs of which more is booked, or more was served, than their budget. */
async function budgetOverruns(load: Worker<Load, LoadResult>, gateway: EmbeddedGateway): Promise<number> {
  const budget = 0.05;
  const perCall = TOKENS.input * PRICES.input + TOKENS.output * PRICES.output;
  let overruns = 0;
  for (let index = 0; index < BUDGETED_RUNS; index++) {
    const stream = index % 2 === 1;
    const model = stream ? 'stream' : 'small';
    const { runId, key } = await gateway.newRun(model, String(budget));
    const from = { port: gateway.port, prefix: '', key, model };
    const order = orderOf('chat', from, { parallel: 64, requests: 300, ...(stream ? { cutOneOf: 3 } : {}) }, stream);
    const { statuses, broken } = await load.ask(order);
    if (broken > 0 || statuses['400'] === undefined)
      throw new Error(`a budget that lasts: ${JSON.stringify(statuses)}`);
    const run = await gateway.admin.closeRun(runId);
    const booked = Number(run.spent_usd) + Number(run.uncertain_usd) + Number(run.reserved_usd);
    // Sums of decimal fractions, to a nano-dollar.
    if (Math.max(booked, (statuses['200'] ?? 0) * perCall) > budget + 1e-9) overruns++;
  }
  return overruns;
}

type Figure = (result: Measured) => number;

function rate({ answers, ms }: LoadResult): number {
  return (answers / ms) * 1000;
}

function each(all: readonly Round[], figure: Figure): Record<string, number> {
  const names = Object.keys(all[0] ?? {});
  const values = (name: string) => all.flatMap((results) => (results[name] ? [figure(results[name])] : []));
  return Object.fromEntries(names.map((name) => [name, round(median(values(name)))]));
}

function rates(all: readonly Round[]): Record<string, number> {
  return each(all, (result) => Math.round(rate(result)));
}

function ratio(all: readonly Round[], figure: Figure, of: string, to: string): number {
  return round(
    median(all.map((results) => (results[of] && results[to] ? figure(results[of]) / figure(results[to]) : Number.NaN))),
  );
}

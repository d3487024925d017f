import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { BookedCall } from '@ssebench/contracts/gateway-api';
import type { ModelUse } from '@ssebench/contracts/model-use';
import { gatewayPlace, startGateway } from '../../gateway/gateway-process.ts';
import { type FoundRun, findRunAt } from '../../results/find-run.ts';
import { replayText } from '../../results/replay-text.ts';
import { readFullSummary } from '../../results/run-summary.ts';
import { nameOf } from '../../run/model-lease.ts';
import { UserError } from '../errors.ts';
import { openHost } from '../host.ts';
import { columns, print, printJson } from '../output.ts';

export interface RunsCostOptions {
  dir: string;
  json?: boolean;
}

type Tokens = BookedCall['tokens'];

/** What a run's calls cost together. US dollars, milliseconds. */
interface Totals {
  calls: number | null;
  spend: number;
  uncertain: number;
  tokens: Tokens | null;
  /** Of all input tokens, those that a cache held; null: there were none, or nobody counted. */
  cached_share: number | null;
  /** The medians of the calls; null where only the summary is left. */
  first_byte_ms: number | null;
  total_ms: number | null;
}

/** `ssebench runs cost`: every call of a run by the gateway's books; where they do not have it, what its summary says. */
export async function runsCost(named: string, { dir, json = false }: RunsCostOptions): Promise<number> {
  const found = findRunAt(dir, named, process.cwd());
  const use = found.ended ? usedBy(found) : null;
  const calls = await bookedCalls(bookName(found, use));
  if (calls === undefined && use === null)
    throw new UserError(`run ${found.run.run_id}: nothing is known of its calls`);
  const totals = calls === undefined && use ? totalsOf(use) : sumOf(calls ?? []);
  if (json)
    printJson({
      run_id: found.run.run_id,
      dir: found.run.dir,
      totals,
      replay: use?.replay ?? null,
      calls: calls ?? null,
    });
  else printCost(found.run.model ?? '', totals, calls, use);
  return 0;
}

/** @throws UserError for a run without a model */
function usedBy({ run }: FoundRun & { ended: true }): ModelUse {
  const use = readFullSummary(run.dir)?.model;
  if (!use) throw new UserError(`run ${run.run_id} used no model: ${run.dir}`);
  return use;
}

/** Of a run that goes on: its files lie where its directory leads. */
function bookName(found: FoundRun, use: ModelUse | null): string | null {
  if (found.ended) return use?.gateway_run ?? null;
  return nameOf(found.run.run_id, basename(realpathSync(found.run.dir)));
}

async function bookedCalls(name: string | null): Promise<BookedCall[] | undefined> {
  if (name === null) return undefined;
  const { admin } = await startGateway(gatewayPlace(openHost().workspace));
  return (await admin.calls(name))?.calls;
}

function totalsOf({ calls, spend, uncertain, tokens }: ModelUse): Totals {
  return {
    calls,
    spend,
    uncertain,
    tokens,
    cached_share: tokens && cachedShare(tokens),
    first_byte_ms: null,
    total_ms: null,
  };
}

function sumOf(calls: readonly BookedCall[]): Totals {
  const sum = (value: (call: BookedCall) => number) => calls.reduce((total, call) => total + value(call), 0);
  const tokens: Tokens = {
    input: sum((call) => call.tokens.input),
    cache_read: sum((call) => call.tokens.cache_read),
    cache_write_5m: sum((call) => call.tokens.cache_write_5m),
    cache_write_1h: sum((call) => call.tokens.cache_write_1h),
    output: sum((call) => call.tokens.output),
    reasoning: sum((call) => call.tokens.reasoning),
  };
  return {
    calls: calls.length,
    spend: dollars(sum((call) => Number(call.cost_usd))),
    uncertain: dollars(sum((call) => Number(call.uncertain_usd))),
    tokens,
    cached_share: cachedShare(tokens),
    first_byte_ms: median(calls.map((call) => call.first_byte_ms)),
    total_ms: median(calls.map((call) => call.total_ms)),
  };
}

/** The books have whole thousand-millionths; a sum of fractions has dust. */
function dollars(sum: number): number {
  return Math.round(sum * 1e9) / 1e9;
}

function cachedShare({ input, cache_read, cache_write_5m, cache_write_1h }: Tokens): number | null {
  const all = input + cache_read + cache_write_5m + cache_write_1h;
  return all === 0 ? null : cache_read / all;
}

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known[Math.floor((known.length - 1) / 2)] ?? null;
}

function printCost(
  model: string,
  totals: Totals,
  calls: readonly BookedCall[] | undefined,
  use: ModelUse | null,
): void {
  if (use?.replay) print(`A replay, which cost nothing: ${replayText(use.replay)}`);
  if (calls && calls.length > 0)
    print(
      `${columns(
        HEADS,
        calls.map((call, index) => row(call, index, model)),
      )}\n`,
    );
  if (!calls) print('The gateway has no books of this run; its summary says:');
  const { tokens } = totals;
  print(`${totals.calls ?? 'An unknown number of'} calls, ${usd(totals.spend)} USD${uncertainText(totals.uncertain)}`);
  if (tokens) {
    const written = tokens.cache_write_5m + tokens.cache_write_1h;
    print(
      `Tokens: ${tokens.input} input, ${tokens.cache_read} from a cache (${share(totals.cached_share)} of all input), ` +
        `${written} written to one, ${tokens.output} output (${tokens.reasoning} of them reasoning)`,
    );
  }
  if (totals.first_byte_ms !== null)
    print(
      `At the median, the first byte came after ${ms(totals.first_byte_ms)}, the last after ${ms(totals.total_ms)}`,
    );
}

const HEADS = ['CALL', 'MODEL', 'INPUT', 'CACHED', 'WRITTEN', 'OUTPUT', 'USD', 'FIRST BYTE', 'TOTAL', 'END'];

function row({ tokens, ...call }: BookedCall, index: number, model: string): string[] {
  return [
    String(index + 1),
    call.served_model ?? model,
    String(tokens.input),
    String(tokens.cache_read),
    String(tokens.cache_write_5m + tokens.cache_write_1h),
    String(tokens.output),
    usd(Number(call.cost_usd)),
    ms(call.first_byte_ms),
    ms(call.total_ms),
    endOf(call),
  ];
}

function endOf({ state, status, words }: Pick<BookedCall, 'state' | 'status' | 'words'>): string {
  if (state === 'open') return 'under way';
  if (state === 'lost') return 'not known';
  return words ?? (status !== null && status >= 200 && status < 300 ? 'ok' : `HTTP ${status}`);
}

function uncertainText(uncertain: number): string {
  return uncertain === 0 ? '' : `, and up to ${usd(uncertain)} more for calls whose end is not known`;
}

function usd(value: number): string {
  return value.toFixed(6);
}

function ms(value: number | null): string {
  return value === null ? '-' : `${Math.round(value)} ms`;
}

function share(value: number | null): string {
  return value === null ? 'none' : `${Math.round(value * 100)} %`;
}

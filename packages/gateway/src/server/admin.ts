import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RecordingState, ReplayState } from '@ssebench/contracts/model-calls';
import { z } from 'zod';
import { type Answer, problem, readAdminBody } from './admin-body.ts';
import { callsJson, refusalJson, spendJson } from './admin-json.ts';
import type { ClientListeners } from './client-listeners.ts';
import type { Forwards } from './forwards.ts';
import { answerForwards } from './forwards-admin.ts';
import type { Gateway } from './gateway.ts';
import { sendJson } from './http.ts';
import { parseUsd } from './money.ts';
import { runSettings, settingsOf } from './run-settings.ts';

const newRun = runSettings.extend({
  run_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  model: z.string().min(1),
  /** Dollars, as a decimal number. */
  budget_usd: z.string().refine((text) => parseUsd(text) !== undefined, 'a decimal number of dollars'),
  concurrency: z.number().int().min(1).max(10_000),
});

/** What `POST /runs` answers. `key` is told this once. */
export interface RunAccess {
  readonly key: string;
  /** For programs of the host; the run's own clients come over its socket. */
  readonly base_url: string;
}

/** What the admin socket serves: JSON over HTTP, for the host command alone. */
export class Admin {
  readonly #gateway: Gateway;
  readonly #listeners: ClientListeners;
  readonly #forwards: Forwards;
  readonly #version: string;
  readonly #build: string;
  readonly #baseUrl: string;
  readonly #runsChanged: () => void;
  readonly #shutdown: () => void;

  /** @param runsChanged called when there is one run more or less @param shutdown called after its request was answered */
  constructor(
    gateway: Gateway,
    listeners: ClientListeners,
    forwards: Forwards,
    about: { version: string; build: string; baseUrl: string; runsChanged: () => void; shutdown: () => void },
  ) {
    this.#gateway = gateway;
    this.#listeners = listeners;
    this.#forwards = forwards;
    this.#version = about.version;
    this.#build = about.build;
    this.#baseUrl = about.baseUrl;
    this.#runsChanged = about.runsChanged;
    this.#shutdown = about.shutdown;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const [status, body] = await this.#answer(request, `${request.method} ${path}`);
    sendJson(response, status, JSON.stringify(body));
    if (request.method === 'POST' && path === '/shutdown') response.once('close', this.#shutdown);
  }

  async #answer(request: IncomingMessage, route: string): Promise<Answer> {
    const [, name, list] = /^(?:GET|DELETE) \/runs\/([^/]+)(\/calls)?$/.exec(route) ?? [];
    const isDelete = request.method === 'DELETE';
    if (name !== undefined && list === undefined) return this.#run(isDelete, decodeURIComponent(name));
    if (name !== undefined && !isDelete) return this.#calls(decodeURIComponent(name));
    const forwarded = await answerForwards(this.#forwards, request, route, this.#runsChanged);
    if (forwarded !== undefined) return forwarded;
    if (route === 'POST /runs') return await this.#create(request);
    if (route === 'GET /status') return [200, this.#status()];
    if (route === 'POST /shutdown') return [200, {}];
    return problem(404, 'no_route', `${route} is not a route of the admin socket`);
  }

  async #create(request: IncomingMessage): Promise<Answer> {
    const parsed = await readAdminBody(request, newRun);
    if ('problem' in parsed) return parsed.problem;
    const { run_id: runId, model: name, budget_usd, concurrency, ...settings } = parsed.value;
    const { ledger, replays } = this.#gateway;
    const unusable = settings.replay === undefined ? this.#unusable(name) : undefined;
    if (unusable !== undefined) return unusable;
    if (ledger.spend(runId) !== undefined) return problem(409, 'run_exists', `run ${runId} has a key, or had one`);
    try {
      if (settings.replay !== undefined) await replays.of(runId, settings.replay, settings.record);
    } catch (error) {
      return problem(409, 'replay', `${settings.replay} can't be replayed: ${(error as Error).message}`);
    }
    try {
      if (settings.socket !== undefined) await this.#listeners.openRun(runId, settings.socket);
    } catch (error) {
      return problem(409, 'socket', (error as Error).message);
    }
    const budget = parseUsd(budget_usd) ?? 0n;
    const key = ledger.createKey({ runId, model: name, budget, concurrency, settings: JSON.stringify(settings) });
    this.#runsChanged();
    return [201, { key, base_url: this.#baseUrl } satisfies RunAccess];
  }

  /** Why a model can't be called; undefined: it can. */
  #unusable(name: string): Answer | undefined {
    const { catalog, pricing } = this.#gateway;
    const model = catalog.get(name);
    if (model === undefined)
      return problem(404, 'unknown_model', [`no model ${name}`, ...catalog.problems()].join('\n'));
    if (pricing.upperBound(model, { bytes: 1 }, 1) !== undefined) return undefined;
    return problem(409, 'no_price', `no price is known for ${name}: give it one, or "free", in its file`);
  }

  async #run(revoke: boolean, runId: string): Promise<Answer> {
    const { ledger, calls, recordings, replays } = this.#gateway;
    const known = ledger.spend(runId);
    if (known === undefined) return unknownRun(runId);
    if (revoke) {
      ledger.revoke(runId);
      await calls.abort(runId);
      await this.#listeners.closeRun(runId);
      this.#runsChanged();
    }
    const files = await this.#files(runId, known.settings);
    if (revoke) await Promise.all([recordings.close(runId), replays.close(runId)]);
    return [200, { ...spendJson(ledger.spend(runId) ?? known), ...files }];
  }

  #calls(runId: string): Answer {
    const { ledger } = this.#gateway;
    const spend = ledger.spend(runId);
    return spend === undefined ? unknownRun(runId) : [200, callsJson(spend, ledger.calls(runId))];
  }

  async #files(
    runId: string,
    settings: string,
  ): Promise<{ recording: RecordingState | null; replay: ReplayState | null }> {
    const { recordings, replays, log } = this.#gateway;
    const { record, replay } = settingsOf(settings);
    const recording = record === undefined ? null : await recordings.state(runId, record);
    if (replay === undefined) return { recording, replay: null };
    try {
      return { recording, replay: (await replays.of(runId, replay, record)).state };
    } catch (error) {
      log(`run ${runId}: ${(error as Error).message}`);
      return { recording, replay: null };
    }
  }

  #status() {
    const { ledger, catalog, calls } = this.#gateway;
    return {
      version: this.#version,
      build: this.#build,
      pid: process.pid,
      base_url: this.#baseUrl,
      models: catalog.names(),
      problems: catalog.problems(),
      runs: ledger.liveRuns().flatMap(({ runId }) => {
        const spend = ledger.spend(runId);
        return spend === undefined ? [] : [spendJson(spend)];
      }),
      forwards: this.#forwards.live().map((forward) => forward.told()),
      calls: calls.count,
      refusals: ledger.refusals().map(refusalJson),
    };
  }
}

function unknownRun(runId: string): Answer {
  return problem(404, 'unknown_run', `no run ${runId}`);
}

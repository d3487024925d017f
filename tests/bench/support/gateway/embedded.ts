import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdminClient } from '@ssebench/bench/gateway/admin-client';
import { type GatewayPlace, startGateway, stopGateway } from '@ssebench/bench/gateway/gateway-process';
import { findBundle } from '../../../../scripts/command/bundle-cache.ts';
import { makeBundle } from '../../../../scripts/command/make-bundle.ts';
import { PRICES } from './exchanges.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** What the provider does, by the model's name; `-messages` of these speak Anthropic's protocol, the others OpenAI's. */
const BEHAVIOURS = ['small', 'stream', 'slow', 'flood', 'large'] as const;

/** The gateway as the command starts it: bundled, in a process of its own. */
export class EmbeddedGateway implements AsyncDisposable {
  readonly place: GatewayPlace;
  readonly admin: AdminClient;
  readonly pid: number;
  readonly port: number;
  #runs = 0;

  /** @param provider its port */
  static async start(directory: string, provider: number): Promise<EmbeddedGateway> {
    await useBundle();
    const place = newPlace(directory, provider);
    const { admin, status } = await startGateway(place);
    return new EmbeddedGateway(place, admin, status.pid, Number(new URL(status.base_url).port));
  }

  private constructor(place: GatewayPlace, admin: AdminClient, pid: number, port: number) {
    this.place = place;
    this.admin = admin;
    this.pid = pid;
    this.port = port;
  }

  /** A run's key. @param more of `POST /runs` */
  async newRun(model: string, budgetUsd = '1000000', more: object = {}): Promise<{ runId: string; key: string }> {
    const runId = `run-${++this.#runs}`;
    const socket = join(this.place.stateDir, `${runId}.sock`);
    const allowed = { allow: [], allow_fields: [], socket, ...more };
    const { key } = await this.admin.createRun({
      run_id: runId,
      model,
      budget_usd: budgetUsd,
      concurrency: 10_000,
      ...allowed,
    });
    return { runId, key };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopGateway(this.place);
  }
}

/** From asking for a gateway where there was none to its first answer. Milliseconds. */
export async function startTime(directory: string): Promise<number> {
  await useBundle();
  const place = newPlace(directory, 1);
  const startedAt = performance.now();
  await startGateway(place);
  const ms = performance.now() - startedAt;
  await stopGateway(place);
  return ms;
}

/** As `ssebench` does from a clone. */
async function useBundle(): Promise<void> {
  const bundle = findBundle(ROOT);
  const sources = {
    main: new URL('packages/bench/src/main.ts', ROOT),
    gateway: new URL('packages/gateway/src/server/main.ts', ROOT),
  };
  if (!bundle.isMade && !(await makeBundle(ROOT, sources, bundle))) throw new Error('no bundle could be made');
  process.env['SSEBENCH_BUNDLE'] = bundle.directory;
}

function newPlace(directory: string, provider: number): GatewayPlace {
  const workspace = mkdtempSync(join(directory, 'w'));
  const modelsDir = join(workspace, 'models');
  mkdirSync(modelsDir);
  const model_info = {
    input_cost_per_token: PRICES.input,
    output_cost_per_token: PRICES.output,
    max_output_tokens: 64_000,
  };
  const models = BEHAVIOURS.flatMap((name) => {
    const base = `http://127.0.0.1:${provider}/${name}`;
    const params = (model: string, api_base: string) => ({ model, api_base, api_key: 'os.environ/BENCH_KEY' });
    return [
      { model_name: name, litellm_params: params('openai/stub-1', `${base}/v1`), model_info },
      { model_name: `${name}-messages`, litellm_params: params('anthropic/stub-1', base), model_info },
    ];
  });
  writeFileSync(join(modelsDir, 'bench.yaml'), JSON.stringify(models));
  writeFileSync(join(workspace, '.env'), 'BENCH_KEY=sk-provider-key\n');
  return { stateDir: join(workspace, 's'), modelsDir, envFile: join(workspace, '.env') };
}

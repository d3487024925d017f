import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModelsFile } from '@ssebench/gateway/scripted/models-file';
import { type ScriptedModel, startScriptedModel } from '@ssebench/gateway/scripted/scripted-model';
import { gatewayPlace, stopGateway } from '../gateway/gateway-process.ts';

/**
 * A folder with a scripted model for its only provider, and a gateway of its own: nothing in it has to do with the models,
 * the keys and the results of anybody. In the end the gateway is stopped, and the folder is removed unless it is kept.
 */
export class ScriptedWorkspace implements AsyncDisposable {
  /** Absolute. */
  readonly path: string;
  readonly model: ScriptedModel;
  kept = false;

  private constructor(path: string, model: ScriptedModel) {
    this.path = path;
    this.model = model;
  }

  static async open(): Promise<ScriptedWorkspace> {
    const model = await startScriptedModel({ steps: [] });
    const path = mkdtempSync(join(tmpdir(), 'ssebench-check-'));
    mkdirSync(join(path, 'models'));
    writeFileSync(join(path, 'models/scripted.yaml'), scriptedModelsFile(model.url));
    return new ScriptedWorkspace(path, model);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const place = gatewayPlace(this.path);
    await this.model[Symbol.asyncDispose]();
    await stopGateway(place);
    rmSync(place.stateDir, { recursive: true, force: true });
    if (!this.kept) rmSync(this.path, { recursive: true, force: true });
  }
}

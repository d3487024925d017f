import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModelsFile } from '@ssebench/gateway/scripted/models-file';
import { type ScriptedModel, startScriptedModel } from '@ssebench/gateway/scripted/scripted-model';
import { gatewayPlace, stopGateway } from '../gateway/gateway-process.ts';
import { claimRun, type RunOwner } from '../run/owner.ts';

/** What the names of such folders begin with, in the temporary directory. */
export const WORKSPACE_PREFIX = 'ssebench-check-';
/** Holds the path of a socket: when nobody listens there any more, the folder is nobody's. A folder that is kept has no such file. */
export const WORKSPACE_OWNER = 'owner';

/**
 * A folder with a scripted model for its only provider, and a gateway of its own: nothing in it has to do with the models,
 * the keys and the results of anybody. In the end the gateway is stopped, and the folder is removed unless it is kept.
 * What a killed process leaves of it goes with `ssebench gc`.
 */
export class ScriptedWorkspace implements AsyncDisposable {
  /** Absolute. */
  readonly path: string;
  readonly model: ScriptedModel;
  kept = false;
  readonly #owner: RunOwner;

  private constructor(path: string, model: ScriptedModel, owner: RunOwner) {
    this.path = path;
    this.model = model;
    this.#owner = owner;
  }

  static async open(): Promise<ScriptedWorkspace> {
    const model = await startScriptedModel({ steps: [] });
    const owner = await claimRun(`check-${randomBytes(4).toString('hex')}`);
    const path = mkdtempSync(join(tmpdir(), WORKSPACE_PREFIX));
    writeFileSync(join(path, WORKSPACE_OWNER), owner.socket);
    mkdirSync(join(path, 'models'));
    writeFileSync(join(path, 'models/scripted.yaml'), scriptedModelsFile(model.url));
    return new ScriptedWorkspace(path, model, owner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model[Symbol.asyncDispose]();
    if (this.kept) {
      await endGateway(this.path);
      rmSync(join(this.path, WORKSPACE_OWNER));
    } else {
      await removeWorkspace(this.path);
    }
    await this.#owner.release();
  }
}

/** Takes such a folder away, with the gateway that may still serve it. */
export async function removeWorkspace(path: string): Promise<void> {
  await endGateway(path);
  rmSync(path, { recursive: true, force: true });
}

async function endGateway(path: string): Promise<void> {
  const place = gatewayPlace(path);
  await stopGateway(place);
  rmSync(place.stateDir, { recursive: true, force: true });
}

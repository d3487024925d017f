import { join } from 'node:path';
import { keyVariable } from '@ssebench/gateway/models/gateway-model';
import { loadModels, type Model } from '../../config/models.ts';
import { loadSettings } from '../../config/settings.ts';
import { showPath } from '../../config/show-path.ts';
import { liteLlmConfig } from '../../gateway/litellm-config.ts';
import { makeSecrets, namesInEnvFile } from '../../gateway/litellm-secrets.ts';
import { BASE_URL } from '../../gateway/litellm-settings.ts';
import { LiteLlmStack, type StackPlace } from '../../gateway/litellm-stack.ts';
import { UserError } from '../errors.ts';
import { modelsDirectory, openHost } from '../host.ts';
import { print, warn } from '../output.ts';

/** `ssebench proxy up`. Source: spec/host §1.7. @throws GatewayError, UserError */
export async function proxyUp({ rebuild = false }: { rebuild?: boolean }): Promise<number> {
  const { stack, models } = await built(rebuild);
  const url = await stack.start();
  print(`LiteLLM serves ${models.length} models at ${url}`);
  if (openHost().settings.get(BASE_URL) === undefined) print(`${BASE_URL}=${url} in .env makes runs use it`);
  return 0;
}

/** `ssebench proxy build`. @throws GatewayError, UserError */
export async function proxyBuild({ rebuild = false }: { rebuild?: boolean }): Promise<number> {
  await built(rebuild);
  print('The image of LiteLLM is up to date');
  return 0;
}

/** `ssebench proxy down`. @throws GatewayError */
export async function proxyDown({ volumes = false }: { volumes?: boolean }): Promise<number> {
  const { home, workspace, settings } = openHost();
  await new LiteLlmStack(placeOf(home, workspace), settings).stop(volumes);
  print(volumes ? 'LiteLLM has ended, and its database is removed' : 'LiteLLM has ended');
  return 0;
}

async function built(fresh: boolean): Promise<{ stack: LiteLlmStack; models: readonly Model[] }> {
  const host = openHost();
  const models = loadModels(modelsDirectory(host));
  if (models.length === 0) throw new UserError(`there is no model in ${showPath(modelsDirectory(host))}`);
  const place = placeOf(host.home, host.workspace);
  const made = makeSecrets(place.envFile, (name) => host.settings.get(name) !== undefined);
  if (made.length > 0) print(`${made.join(' and ')}: made, in ${showPath(place.envFile)}`);
  warnOfKeys(models, place.envFile);
  const stack = new LiteLlmStack(place, loadSettings(host.workspace));
  await stack.build(liteLlmConfig(models.map(({ entry }) => entry)), fresh);
  return { stack, models };
}

/** The container has `.env`, and nothing of this command's environment. */
function warnOfKeys(models: readonly Model[], envFile: string): void {
  const known = namesInEnvFile(envFile);
  const missing = new Map<string, string[]>();
  for (const { name, entry, requiredKeys } of models) {
    const needed = new Set([keyVariable(entry) ?? [], requiredKeys].flat());
    for (const key of [...needed].filter((it) => !known.has(it))) missing.set(key, [...(missing.get(key) ?? []), name]);
  }
  for (const [key, names] of missing)
    warn(`${key} is not in ${showPath(envFile)}: ${names.join(', ')} can't be called`);
}

function placeOf(home: string, workspace: string): StackPlace {
  return { home, workspace, envFile: join(workspace, '.env') };
}

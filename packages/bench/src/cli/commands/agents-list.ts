import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyVariable } from '@ssebench/gateway/models/gateway-model';
import { modelsFor } from '../../config/agent-models.ts';
import { type Agent, listAgents } from '../../config/agents.ts';
import { loadModels, type Model } from '../../config/models.ts';
import type { Settings } from '../../config/settings.ts';
import { programStage } from '../../images/program-stage.ts';
import { modelsDirectory, openHost } from '../host.ts';
import { columns, print, printJson } from '../output.ts';

export interface AgentsListOptions {
  json?: boolean;
}

/**
 * `ssebench agents list`. Folders that can't be used are told on standard error, with the place and what to do, and the status
 * is 1. @throws UserError for malformed files of models, with their lines
 */
export function agentsList(options: AgentsListOptions): number {
  const host = openHost();
  const { agents, problems } = listAgents(host.home);
  const models = loadModels(modelsDirectory(host));
  const entries = agents.map((agent) => entryOf(agent, models, host.settings));
  if (options.json) printJson(entries);
  else if (entries.length > 0) {
    const rows = entries.map(({ agent, version, protocols, program, models: usable, keys }) => {
      const shown = keys.map(({ variable, set }) => `${variable}${set ? '' : ' (not set)'}`);
      const fitting = usable === null ? 'none' : `${usable.length} of ${models.length}`;
      return [agent, version, protocols.join(', '), program ? 'yes' : '', fitting, shown.join(' or ')];
    });
    print(columns(['AGENT', 'VERSION', 'SPEAKS', 'PROGRAM', 'MODELS', 'KEY'], rows));
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (agents.length === 0 && problems.length === 0)
    process.stderr.write(`${join(host.home, 'agents')}: has no agents\n`);
  return problems.length > 0 ? 1 : 0;
}

/** `models` and `keys`: what it can be run with, and the keys of those; null and none for one that calls no model. */
function entryOf({ folder, dir, name, version, manifest }: Agent, models: readonly Model[], { get }: Settings) {
  const usable = manifest.keyless ? null : modelsFor({ folder, dir, name, version, manifest }, models, get);
  const variables = new Set((usable ?? []).flatMap(({ entry }) => keyVariable(entry) ?? []));
  return {
    agent: folder,
    name,
    version,
    protocols: manifest.protocols ?? [],
    program: programStage(readFileSync(join(dir, 'Dockerfile'), 'utf8')) !== undefined,
    models: usable?.map((model) => model.name) ?? null,
    keys: [...variables].map((variable) => ({ variable, set: get(variable) !== undefined })),
  };
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AgentManifest } from '@ssebench/contracts/agent-manifest';
import { unknownName } from '@ssebench/contracts/closest';
import { UserError } from '../cli/errors.ts';
import { VERSION } from '../cli/version.ts';
import { showPath } from './show-path.ts';
import { readYaml } from './yaml-document.ts';

/** An agent's folder that was read and found sound in form. */
export interface Agent {
  /** What `--agent` takes and what results record: the folder's name. */
  folder: string;
  /** Absolute. */
  dir: string;
  /** What image names use. */
  name: string;
  /** Tag of its images: the manifest's, else the product's. */
  version: string;
  manifest: AgentManifest;
}

/** Reads `agents/<folder>` of home. @throws UserError for an unknown agent and for every problem of its manifest */
export function loadAgent(home: string, folder: string): Agent {
  const dir = join(home, 'agents', folder);
  if (!isFolderName(folder) || !existsSync(dir)) throw new UserError(unknownName('agent', folder, listAgents(home)));
  const manifest = readYaml(join(dir, 'agent.yaml'), AgentManifest).value;
  if (!existsSync(join(dir, 'Dockerfile'))) throw new UserError(`${showPath(dir)}/Dockerfile: no such file`);
  return { folder, dir, name: manifest.name, version: manifest.version ?? VERSION, manifest };
}

/** The names of the agents' folders: those that hold an `agent.yaml`. Sorted. */
function listAgents(home: string): string[] {
  const agents = join(home, 'agents');
  if (!existsSync(agents)) return [];
  return readdirSync(agents, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(agents, entry.name, 'agent.yaml')))
    .map(({ name }) => name)
    .sort();
}

function isFolderName(name: string): boolean {
  return name !== '' && !name.startsWith('.') && !/[/\0]/.test(name);
}

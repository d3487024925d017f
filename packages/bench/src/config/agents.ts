import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AgentManifest } from '@ssebench/contracts/agent-manifest';
import { unknownName } from '@ssebench/contracts/closest';
import { UserError } from '../cli/errors.ts';
import { VERSION } from '../cli/version.ts';
import { folderProblems } from './agent-folder.ts';
import { readYaml } from './yaml-document.ts';

const FILES = ['agent.yaml', 'Dockerfile'];

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

/**
 * Reads `agents/<folder>` of home.
 * @throws UserError for an unknown agent, and for every problem of its manifest, its Dockerfile and its wrapper
 */
export function loadAgent(home: string, folder: string): Agent {
  const dir = join(home, 'agents', folder);
  if (!isFolderName(folder) || !existsSync(dir)) throw new UserError(unknownName('agent', folder, agentFolders(home)));
  return readAgent(dir, folder);
}

/** Every agent of home, and the problems of those that can't be used. */
export function listAgents(home: string): { agents: Agent[]; problems: string[] } {
  const agents: Agent[] = [];
  const problems: string[] = [];
  for (const folder of agentFolders(home)) {
    try {
      agents.push(readAgent(join(home, 'agents', folder), folder));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.lines);
    }
  }
  return { agents, problems };
}

function readAgent(dir: string, folder: string): Agent {
  const manifest = readYaml(join(dir, 'agent.yaml'), AgentManifest).value;
  const problems = folderProblems(dir);
  if (problems.length > 0) throw new UserError(problems);
  return { folder, dir, name: manifest.name, version: manifest.version ?? VERSION, manifest };
}

/** The names of the agents' folders: those that hold a manifest or a Dockerfile. Sorted. */
function agentFolders(home: string): string[] {
  const agents = join(home, 'agents');
  if (!existsSync(agents)) return [];
  return readdirSync(agents)
    .filter((name) => isFolderName(name) && FILES.some((file) => existsSync(join(agents, name, file))))
    .sort();
}

function isFolderName(name: string): boolean {
  return name !== '' && !name.startsWith('.') && !/[/\0]/.test(name);
}

import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_UID, AGENT_USER, RUNNER_USER } from '@ssebench/contracts/layout';
import { type AccountFiles, freeSystemId, type OwnAccount, withAccounts } from './account-files.ts';

export interface Accounts {
  agent: OwnAccount;
  runner: OwnAccount;
}

const FILES = ['passwd', 'group', 'shadow', 'gshadow', 'subuid', 'subgid'] as const;

/** Source: spec/runtime §5, "Image preparation". */
const GIT_IDENTITY = '[user]\n\tname = SSEBench Agent\n\temail = agent@ssebench.invalid\n';

/**
 * Creates the agent's and the runner's account in the image at `root`, without any program of the image's, and the agent's home.
 */
export function makeAccounts(root: string): Accounts {
  const before = readFiles(root);
  const runnerId = freeSystemId(before, RUNNER_USER);
  const agent: OwnAccount = {
    name: AGENT_USER,
    uid: AGENT_UID,
    gid: AGENT_UID,
    home: `/home/${AGENT_USER}`,
    shell: existsSync(join(root, '/bin/bash')) ? '/bin/bash' : '/bin/sh',
  };
  const runner: OwnAccount = {
    name: RUNNER_USER,
    uid: runnerId,
    gid: runnerId,
    home: '/nonexistent',
    shell: '/usr/sbin/nologin',
  };
  const after = withAccounts(before, [agent, runner]);
  for (const name of FILES) {
    const content = after[name];
    if (content !== undefined) writeFileSync(join(root, 'etc', name), content, 'latin1');
  }
  makeHome(root, agent);
  return { agent, runner };
}

function makeHome(root: string, agent: OwnAccount): void {
  const home = join(root, agent.home);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, '.gitconfig'), GIT_IDENTITY);
  chownSync(join(home, '.gitconfig'), agent.uid, agent.gid);
  chownSync(home, agent.uid, agent.gid);
  chmodSync(home, 0o750);
}

function readFiles(root: string): AccountFiles {
  const read = (name: string) => {
    const path = join(root, 'etc', name);
    return existsSync(path) ? readFileSync(path, 'latin1') : undefined;
  };
  const files: AccountFiles = { passwd: read('passwd') ?? '', group: read('group') ?? '' };
  for (const name of FILES.slice(2)) {
    const content = read(name);
    if (content !== undefined) files[name] = content;
  }
  return files;
}

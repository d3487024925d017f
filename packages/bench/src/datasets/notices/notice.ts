import type { TaskConfig } from '@ssebench/contracts/task-config';
import type { ThirdParty, ThirdPartyTask } from '@ssebench/contracts/third-party';
import type { DockerfileModel } from '../validate/dockerfile-model.ts';
import type { TaskTree } from '../validate/task-tree.ts';

/** A task, and what `third_party.json` says of it. */
export interface NoticedTask {
  id: string;
  config: TaskConfig;
  tree: TaskTree;
  dockerfile: DockerfileModel;
  entry: ThirdPartyTask;
  upstream: ThirdParty['upstreams'][string];
}

/** Notes a problem; `path` leads to the key of `third_party.json`. */
export type Complain = (path: readonly (string | number)[], message: string) => void;

/** The advisories that a text cites, each once. */
export function citedAdvisories(text: string): string[] {
  return [
    ...new Set(text.match(/\b(?:CVE-\d{4}-\d{4,}|GHSA(?:-[0-9a-z]{4}){3}|GO-\d{4}-\d{4,}|RUSTSEC-\d{4}-\d{4,})\b/g)),
  ];
}

/** The commits that fix the bug, as the entry or else the config has them. */
export function fixCommits({ entry, config }: Pick<NoticedTask, 'entry' | 'config'>): string[] {
  const fromConfig = (config.patch_commit ?? '').split(',').map((commit) => commit.trim());
  return entry.fix_commits ?? fromConfig.filter(Boolean);
}

/** A repository's address without what may differ. */
export function plainUrl(url: string): string {
  return url.replace(/\/+$/, '').replace(/\.git$/, '');
}

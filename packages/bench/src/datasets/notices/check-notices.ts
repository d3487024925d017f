import type { ThirdParty } from '@ssebench/contracts/third-party';
import parseSpdx from 'spdx-expression-parse';
import { checkOrigin } from './check-origin.ts';
import { type Complain, citedAdvisories, fixCommits, type NoticedTask } from './notice.ts';

/** What one `third_party.json` must agree with. */
export interface NoticesContext {
  thirdParty: ThirdParty;
  tasks: readonly NoticedTask[];
  /** Every task folder of the dataset. */
  ids: readonly string[];
}

/** Every rule between `third_party.json` and the task folders. Source: spec/host §6. */
export function checkNotices({ thirdParty, tasks, ids }: NoticesContext, complain: Complain): void {
  const { upstreams, advisory_urls: overrides } = thirdParty;
  for (const id of ids) if (!thirdParty.tasks[id]) complain(['tasks'], `${id}: is missing`);
  const used = new Set(Object.values(thirdParty.tasks).map(({ upstream }) => upstream));
  for (const [url, { license }] of Object.entries(upstreams)) {
    if (!used.has(url)) complain(['upstreams', url], 'no task is of this project');
    const problem = licenseProblem(license);
    if (problem) complain(['upstreams', url, 'license'], problem);
  }
  for (const [id, { upstream }] of Object.entries(thirdParty.tasks)) {
    if (!ids.includes(id)) complain(['tasks', id], 'there is no such task folder');
    if (!upstreams[upstream]) complain(['tasks', id, 'upstream'], `"${upstream}" is not among the upstreams`);
  }
  for (const task of tasks) {
    const own: Complain = (path, message) => complain(['tasks', task.id, ...path], message);
    checkOrigin(task, own);
    checkFix(task, own);
    checkAdvisories(task, own);
    checkPocs(task, own);
  }
  const cited = new Set(tasks.flatMap(({ entry }) => entry.advisories));
  for (const id of Object.keys(overrides)) {
    if (!cited.has(id)) complain(['advisory_urls', id], 'no task has this advisory');
  }
}

/** Any expression of identifiers of the SPDX list. */
function licenseProblem(license: string): string | undefined {
  try {
    parseSpdx(license);
  } catch {
    return `must be an expression of SPDX licence identifiers (https://spdx.org/licenses), found "${license}"`;
  }
  return /(?:License|Document)Ref-/.test(license)
    ? `must name licences of the SPDX list, found "${license}"`
    : undefined;
}

function checkFix(task: NoticedTask, complain: Complain): void {
  const commits = fixCommits(task);
  if (commits.length === 0 && task.entry.fix_patches.length === 0)
    complain(
      ['fix_commits'],
      "must name the commits of the fix, or the config's patch_commit must, or fix_patches its addresses",
    );
  for (const commit of commits) {
    if (!/^[0-9a-f]{40}$/.test(commit))
      complain(['fix_commits'], `must be full commits of 40 hexadecimal digits, found "${commit}"`);
    if (commit === task.entry.license_checked_at) complain(['fix_commits'], `${commit} is the vulnerable commit`);
  }
}

function checkAdvisories({ config, entry }: NoticedTask, complain: Complain): void {
  const cited = citedAdvisories((config.reference ?? []).join('\n'));
  for (const id of cited) {
    if (!entry.advisories.includes(id)) complain(['advisories'], `lacks ${id}, which the config's reference cites`);
  }
}

function checkPocs({ config, entry, tree }: NoticedTask, complain: Complain): void {
  const covered = new Set(entry.pocs.flatMap(({ files }) => files));
  for (const poc of config.files.poc ?? []) {
    if (!covered.has(`sse/${poc}`)) complain(['pocs'], `lacks sse/${poc}, which the config names`);
  }
  for (const [index, { files, kind }] of entry.pocs.entries()) {
    for (const [at, file] of files.entries()) {
      if (!tree.files.has(file)) complain(['pocs', index, 'files', at], `${file}: no such file in the task folder`);
    }
    if (kind === 'written' && config.originality === 'public') {
      complain(['pocs', index, 'kind'], 'is written, but the config says originality: public');
    }
  }
}

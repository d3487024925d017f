import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONTAINER, RESULT_FILE } from '@ssebench/contracts/layout';
import { log } from '../log.ts';
import { rootEnvironment } from '../root-environment.ts';
import { archiveSource } from '../source-archive.ts';
import { tidy } from '../tidy.ts';
import { recordOutcome } from '../work-record.ts';
import type { Phase } from './phase.ts';

const KEPT_TREE = join(CONTAINER.agentTree, 'tree');

/** Keeps the agent's tree as `source.tar.gz`. It decides nothing, and what became of it goes to `work.json`. */
export const archive: Phase = {
  step: 'archive',
  afterFault: true,
  async run(run) {
    await tidy(run);
    const { settings, source } = run;
    if (!source || !run.agent || run.stopped.aborted) return;
    run.archive = await archiveSource({
      // Where the daemon put it, once the graded copy has its place.
      source: existsSync(KEPT_TREE) ? KEPT_TREE : source,
      path: join(settings.results, RESULT_FILE.sourceArchive),
      account: settings.account,
      root: settings.root,
      env: rootEnvironment({}, {}),
      maxBytes: settings.archiveMaxBytes,
      timeoutMs: settings.archiveTimeout * 1000,
      signal: run.stopped,
    });
    await recordOutcome(run);
    const { status, bytes, detail } = run.archive;
    log(status === 'written' ? 'INFO' : 'WARN', 'Source archive', { status, bytes, detail });
  },
};

import { checksOf } from '@ssebench/contracts/task-config';
import { CONFIG_FILE, type TaskContext } from './task-context.ts';

/** What the config's keys mean together. Source: spec/host §2.2, "Checks derived from the config"; seeds/add-a-task, "The config". */
export function checkConfig({ config, lineOf, report }: TaskContext): void {
  const { scripts, files, trigger_commit: trigger, patch_commit: patch } = config;
  const at = (...path: string[]) => ({ file: CONFIG_FILE, line: lineOf(path), key: path.join('.') });
  if (checksOf(config).length === 0) {
    report('no-checks', at('scripts'), 'found no check, must have one of build, run with files.poc, and test');
  }
  if (files.poc?.length && !scripts.run) {
    report('unused-file', at('files', 'poc'), 'names proofs of concept, but scripts.run is not set');
  }
  if (scripts.run && !files.poc?.length) {
    report('unused-file', at('scripts', 'run'), `found "${scripts.run}", but files.poc names nothing to run it with`);
  }
  if (files.future_test && !scripts.test) {
    report('unused-file', at('files', 'future_test'), `found "${files.future_test}", but scripts.test is not set`);
  }
  if (!files.patch) report('no-patch', at('files'), 'files.patch is not set, must name the upstream fix');
  const fixes = (patch ?? '').split(',').map((commit) => commit.trim());
  if (trigger && fixes.includes(trigger)) {
    report('same-commit', at('patch_commit'), `found "${trigger}", which is trigger_commit, too; it must be the fix`);
  }
}

/**
 * `npm run bench -- grade`: what grading costs beyond the scripts. Needs root. The last line is one JSON object of figures.
 *
 * - `session_ms`: a new session of the runner's, as every graded check gets one; medians, as all times.
 * - `check_ms`: a graded check whose script does nothing, on a project of three files, with its session and its workspace.
 * - `script_ms`: starting and ending the same script as the same user, and nothing else. `per_check_ms`: the difference.
 * - `grade_ms`: `ssebench grade` of a patch for a task whose scripts do nothing, from the command's start to its end; four checks.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerArea } from '@ssebench/runtime/daemon/runner/runner-area';
import { RUNNER, TestDaemon } from '@ssebench/runtime/daemon/test-daemon';
import { runCommand } from '@ssebench/runtime/system/run-command';
import { NOOP_DATASET, Workspace } from '../e2e/support/workspace.ts';
import { medianOf, report } from './support/figures.ts';

const REPEATS = 21;
const NOTHING = '#!/bin/sh\nexit 0\n';

report({ ...(await checkTimes()), grade_ms: await gradeTime() });

async function checkTimes(): Promise<Record<string, number>> {
  await using daemon = await TestDaemon.start({ given: '', task: { 'scripts/test.sh': NOTHING } });
  await daemon.admin('/prepare_grading', {});
  const check_ms = await medianOf(REPEATS, async () => {
    const { status, json } = await daemon.graded('function_test');
    if (status !== 200) throw new Error(`the check: ${status} ${JSON.stringify(json)}`);
  });
  const script_ms = await medianOf(REPEATS, async () => {
    const { uid, gid } = RUNNER;
    const argv = [join(daemon.config.taskDir, 'scripts/test.sh')] as const;
    const { code } = await runCommand({ argv: [...argv], cwd: '/', env: {}, uid, gid, timeoutMs: 10_000 });
    if (code !== 0) throw new Error(`the script ended with ${code}`);
  });
  const area = new RunnerArea(RUNNER, daemon.path('area'), [daemon.path('shared')]);
  await area.open();
  const session_ms = await medianOf(REPEATS, () => area.renew());
  return { session_ms, check_ms, script_ms, per_check_ms: check_ms - script_ms };
}

async function gradeTime(): Promise<number> {
  await using workspace = await Workspace.create();
  const patch = join(workspace.path, 'a.patch');
  writeFileSync(patch, 'diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n');
  const grade = async () => {
    const end = await workspace.run('grade', '--local', NOOP_DATASET, '--task', 'noop-c', '--patch', patch);
    if (!end.stdout.includes('Grade: passed')) throw new Error(`${end.stdout}\n${end.stderr}`);
  };
  await grade();
  return await medianOf(5, grade);
}

import { fault } from '@ssebench/contracts/faults';
import { defaultGradingTimeout } from '@ssebench/contracts/run-settings';
import { type GradingFault, gradingFault, gradingTimedOut } from '../../evaluator/outcome.ts';
import { gradeIsWritten, salvageGrade } from '../../evaluator/salvage.ts';
import { aborted, within } from '../../system/waiting.ts';
import { agentVariables } from '../agent-result.ts';
import { closeArchive } from '../archive-owner.ts';
import { startEvaluator } from '../evaluator-service.ts';
import { log } from '../log.ts';
import { lastLines } from '../log-file.ts';
import type { RunContext } from '../run-context.ts';
import type { ProcessEnd } from '../service.ts';
import type { Phase } from './phase.ts';

/** What the evaluator may take beside its own limit, to write what it has. Seconds. */
const WRITE_SECONDS = 30;

/** How long an evaluator that is stopped may take. Milliseconds. */
const STOP_MS = 2_000;

/** Lets the evaluator grade; when it can't finish, a grade is made of the checks that it left. */
export const evaluate: Phase = {
  step: 'grading',
  async run(run) {
    // Of the agent's, and readable by everybody otherwise.
    const { archive, mode } = run.settings;
    const reopen = mode === 'same' && archive ? closeArchive(archive) : undefined;
    const cause = await letGrade(run).finally(reopen);
    if (cause) log('ERROR', cause.fault.detail, { code: cause.fault.code });
    // What goes wrong in the strict checks, which come after the grade, leaves that as it is.
    run.graded = gradeIsWritten(run.settings.results);
    if (run.graded || run.stopped.aborted) return;
    if (cause) {
      run.events.publish({ type: 'fault', fault: cause.fault });
      await salvageGrade(run.settings.results, cause, agentVariables(run));
    }
    run.graded = true;
  },
};

/** Why there is no result of the evaluator's; undefined when there is. */
async function letGrade(run: RunContext): Promise<GradingFault | undefined> {
  const { settings } = run;
  let limit = settings.gradingTimeout;
  try {
    limit ??= defaultGradingTimeout(settings.checkTimeout, (await run.daemonClient.capabilities()).poc_count);
  } catch (error) {
    return gradingFault(error);
  }
  const evaluator = run.evaluator ?? startEvaluator(run, limit);
  run.evaluator = null;
  evaluator.begin();
  const end = await within(Promise.race([evaluator.ended, aborted(run.stopped)]), (limit + WRITE_SECONDS) * 1000);
  await evaluator.stop(STOP_MS);
  if (!end) return gradingTimedOut(limit);
  return end.code === 0 ? undefined : evaluatorLost(end, lastLines(evaluator.logPath, 1)[0] ?? '');
}

/** One that was killed counts against what ran in the container, like the daemon; one that failed, against us. */
function evaluatorLost({ code, signal }: ProcessEnd, lastLine: string): GradingFault {
  const detail = `the evaluator ended with ${signal ?? `status ${code}`}: ${lastLine}`;
  return {
    fault: signal ? fault('service_lost', detail, { phase: 'grading' }) : fault('grading_failed', detail),
    timeoutSeconds: null,
  };
}

import { type CheckPoint, missing, note, ok } from './check-point.ts';
import { endOf } from './session.ts';
import { brokenPoints } from './session-points.ts';
import type { Trial } from './trial.ts';

/** What is asked of an agent that calls no model: that it runs, ends, and leaves something that can be graded. */
export function keylessPoints({ summary, session }: Trial): CheckPoint[] {
  const { outcome, patch_result: result, runtime_result: run } = summary;
  const graded = outcome.code === 'graded';
  return [
    graded
      ? ok('grade', result.status)
      : missing('grade', outcome.fault?.detail ?? outcome.code, "see the logs of the run's directory"),
    run.agent_exit_code === 0
      ? ok('exit status', '0')
      : missing('exit status', String(run.agent_exit_code), "see agent.log of the run's directory"),
    ...(session ? brokenPoints(session) : []),
    session
      ? ok('session', endOf(session)?.status ?? 'no end')
      : note('session', 'none; without a model there is little to tell'),
  ];
}

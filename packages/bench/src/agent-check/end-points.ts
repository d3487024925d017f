import { type CheckPoint, missing, note, ok } from './check-point.ts';
import { endOf, entriesOf } from './session.ts';
import { brokenPoints, openTools } from './session-points.ts';
import { SAYS } from './starter-scenario.ts';
import type { Trial } from './trial.ts';

const ON_SIGTERM = 'at SIGTERM end what runs and complete the session, within ten seconds; then exit';

/** What an agent does that is ended at its time limit, in the middle of a command. */
export function limitPoints(trial: Trial): CheckPoint[] {
  const point = 'time limit';
  const { session, summary, limit } = trial;
  if (trial.requests.length < 2) {
    return [missing(point, `${limit} s were over before its second request`, 'see the points above')];
  }
  if (!summary.runtime_result.agent_timeout) {
    return [missing(point, 'it gave up a command that took long', 'wait for commands as long as the model wants')];
  }
  if (!session) return [missing(point, 'nothing is left of its session', 'write the session as it goes on')];
  const said = entriesOf(session, 'message').some(({ content }) => content.includes(SAYS.first));
  if (!said) return [missing(point, 'what came before is not in its session', 'write the session as it goes on')];
  const [open] = openTools(session);
  const status = endOf(session)?.status;
  if (status === undefined) return [missing(point, 'its session has no end', ON_SIGTERM), ...brokenPoints(session)];
  if (open !== undefined) return [missing(point, `no end of ${open}`, ON_SIGTERM)];
  if (status === 'timeout') return [ok(point, `ended after ${limit} s, its session with all that came before`)];
  return [note(point, `its session ended with ${status}`, 'sse dialog complete --status timeout')];
}

/** What an agent does whose model fails for good in the middle. */
export function failurePoints(trial: Trial): CheckPoint[] {
  const point = 'model failure';
  const { agent_exit_code: status, agent_timeout: hung } = trial.summary.runtime_result;
  const told = endOf(trial.session)?.status;
  if (hung)
    return [missing(point, 'it did not end', 'end when the model answers with an error that asks for no retry')];
  if (status === 0 && told !== 'error') {
    return [
      missing(point, 'it said that all went well', "exit with the program's status, and end the session with error"),
    ];
  }
  if (status === 0) return [note(point, 'exit status 0; its session says error', 'exit with a status other than 0')];
  if (told === 'error') return [ok(point, `exit status ${status}, and its session says error`)];
  return [
    note(point, `exit status ${status}; its session says ${told ?? 'nothing'}`, 'sse dialog complete --status error'),
  ];
}

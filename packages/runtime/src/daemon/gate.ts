import type { Access } from '@ssebench/contracts/daemon-api';
import { BENCHER_ACTIONS, type BencherAction, type Difficulty, isAllowed } from '@ssebench/contracts/difficulty';
import { DaemonError, phaseEnded } from './daemon-error.ts';
import type { ListenerKind } from './listener.ts';

/**
 * Lets a call through to a route, by the listener it came in on.
 * @throws DaemonError `admin_only`
 */
export function admit(access: Access, listener: ListenerKind): void {
  if (listener === 'admin' || access === 'every') return;
  if (listener === 'agent' && access === 'agent-phase') return;
  if (listener === 'host' && access === 'admin-and-host') return;
  throw new DaemonError('admin_only', 'endpoint is only available on the admin socket');
}

/** A call of a tool on an agent-facing listener. */
interface ToolCall {
  tool: string;
  action: string;
  body: unknown;
}

/**
 * Lets a call of a tool through that came in on an agent-facing listener. What no rule names passes, and fails where it
 * is dispatched. Order and texts: spec/runtime §2.2.
 * @throws DaemonError `phase_ended`, `grading_is_admin_only` or `action_withheld`
 */
export function admitTool(call: ToolCall, phaseHasEnded: boolean, level: Difficulty): void {
  if (phaseHasEnded) throw phaseEnded();
  if (isGrading(call.body)) {
    throw new DaemonError('grading_is_admin_only', 'grading checks are only available on the admin socket');
  }
  if (call.tool === 'bencher' && isBencherAction(call.action) && !isAllowed(call.action, level)) {
    throw new DaemonError(
      'action_withheld',
      `action '${call.action}' is not available at the current difficulty level`,
    );
  }
}

export function isBencherAction(action: string): action is BencherAction {
  return (BENCHER_ACTIONS as readonly string[]).includes(action);
}

/** A strict check is a graded one. */
function isGrading(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return ('grading' in body && body.grading === true) || ('strict' in body && body.strict === true);
}

import type { ApiErrorCode } from '@ssebench/contracts/daemon-api';

type ErrorStatus = 400 | 403 | 404 | 500;

/** Codes whose status is not 500. Source: spec/runtime §2.2. */
const STATUS: Partial<Record<ApiErrorCode, ErrorStatus>> = {
  invalid_request: 400,
  action_withheld: 403,
  phase_ended: 403,
  admin_only: 403,
  grading_is_admin_only: 403,
  not_found: 404,
};

/** An answer other than 200: `code` is what clients decide by, the message is for people. */
export class DaemonError extends Error {
  readonly code: ApiErrorCode;
  readonly status: ErrorStatus;

  constructor(code: ApiErrorCode, message: string, options: ErrorOptions & { status?: ErrorStatus } = {}) {
    super(message, options);
    this.name = 'DaemonError';
    this.code = code;
    this.status = options.status ?? STATUS[code] ?? 500;
  }
}

/** The tools after the agent phase. */
export function phaseEnded(): DaemonError {
  return new DaemonError('phase_ended', 'tools are unavailable after the agent phase');
}

/** What a call gets that the daemon can't finish because it is told to stop. */
export function stopping(): DaemonError {
  return new DaemonError('stopping', 'the daemon is stopping');
}

/** Text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { ApiErrorCode } from '@ssebench/contracts/daemon-api';

/** Codes of the daemon's answers, and two for answers that never came. */
export type DaemonErrorCode = ApiErrorCode | 'unreachable' | 'timeout';

/** A call of the daemon that failed. Callers decide by `code`; `status` is null where no answer came. */
export class DaemonError extends Error {
  readonly code: DaemonErrorCode;
  readonly status: number | null;

  constructor(code: DaemonErrorCode, message: string, status: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DaemonError';
    this.code = code;
    this.status = status;
  }
}

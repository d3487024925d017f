export type EngineErrorCode =
  | 'not_found'
  | 'conflict'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'build_failed'
  | 'aborted';

interface EngineErrorOptions {
  /** What was asked, as a phrase: `start container 1f2e`. */
  operation: string;
  /** The engine's own words, or the end of a build's output. */
  detail: string;
  cause?: unknown;
}

/** The one error that an engine's calls throw. `code` is for programs, `message` for people. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly operation: string;
  readonly detail: string;

  constructor(code: EngineErrorCode, { operation, detail, cause }: EngineErrorOptions) {
    super(sentence(code, operation, detail), { cause });
    this.name = 'EngineError';
    this.code = code;
    this.operation = operation;
    this.detail = detail;
  }
}

/** True for an `EngineError` with one of the codes (any when none is named). */
export function isEngineError(error: unknown, ...codes: EngineErrorCode[]): error is EngineError {
  return error instanceof EngineError && (codes.length === 0 || codes.includes(error.code));
}

function sentence(code: EngineErrorCode, operation: string, detail: string): string {
  switch (code) {
    case 'not_found':
      return `${operation}: not found: ${detail}`;
    case 'conflict':
      return `${operation}: conflict: ${detail}`;
    case 'refused':
      return `${operation}: the container engine refused: ${detail}`;
    case 'unreachable':
      return `${operation}: no container engine answers: ${detail}`;
    case 'timeout':
      return `${operation}: ${detail}`;
    case 'build_failed':
      return `${operation} failed: ${detail}`;
    case 'aborted':
      return `${operation}: cancelled`;
  }
}

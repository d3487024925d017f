import { EngineError, type EngineErrorCode } from '../errors.ts';
import type { Deadline } from './deadline.ts';

interface FailedCall {
  operation: string;
  /** How people write the engine's address. */
  address: string;
  deadline: Deadline;
}

/** The bytes to send could not be read: not the engine's fault, and callers get their source's own error. */
export class SourceFailure extends Error {
  constructor(cause: unknown) {
    super('the data to send could not be read', { cause });
  }
}

/** Makes the one kind of error that callers see of whatever a call failed with. The first cause wins. */
export function toEngineError(error: unknown, { operation, address, deadline }: FailedCall): unknown {
  if (error instanceof SourceFailure) return error.cause;
  if (error instanceof EngineError) return error;
  if (deadline.cause?.code === 'timeout') {
    return new EngineError('timeout', { operation, detail: deadline.cause.detail, cause: error });
  }
  if (deadline.cause?.code === 'aborted') {
    return new EngineError('aborted', { operation, detail: 'cancelled by the caller', cause: deadline.signal.reason });
  }
  const status = property(error, 'statusCode');
  if (typeof status === 'number') {
    const detail = engineWords(error);
    return new EngineError(codeOfAnswer(status, detail), { operation, detail, cause: error });
  }
  return new EngineError('unreachable', { operation, detail: `${address}: ${remedy(error)}`, cause: error });
}

function codeOfAnswer(status: number, words: string): EngineErrorCode {
  if (status === 404) return 'not_found';
  // 403: removing a network that containers are attached to.
  if (status === 409 || status === 403) return 'conflict';
  // Podman says 500 for many of its conflicts.
  if (status === 500 && /container state improper|already (exists|used)|being used|in use by/i.test(words))
    return 'conflict';
  return 'refused';
}

/** docker-modem wraps the engine's message: `(HTTP code 404) unexpected - no such image `. */
function engineWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^\(HTTP code \d+\) unexpected - /, '').trim();
}

function remedy(error: unknown): string {
  switch (property(error, 'code')) {
    case 'ENOENT':
      return 'there is no such socket; start Docker or Podman, or set DOCKER_HOST';
    case 'ECONNREFUSED':
      return 'nothing listens there; start Docker or Podman, or set DOCKER_HOST';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied; run as root or join the group that owns the socket (usually: usermod -aG docker $USER)';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

import { FaultError } from '@ssebench/contracts/faults';
import { isEngineError } from '@ssebench/engine/errors';
import { GatewayError } from '../gateway/model-gateway.ts';
import { printable } from '../printable.ts';
import { UserError } from './errors.ts';

/** Says on standard error what ended the command, and returns the exit status. */
export function reportError(error: unknown): number {
  const { text, status } = describe(error);
  process.stderr.write(`${printable(text)}\n`);
  return status;
}

function describe(error: unknown): { text: string; status: number } {
  if (error instanceof UserError) return { text: error.lines.join('\n'), status: error.exitStatus };
  if (isEngineError(error, 'aborted')) return { text: 'Interrupted', status: 130 };
  if (isEngineError(error)) return { text: `${error.message}${remedy(error.code)}`, status: 1 };
  if (error instanceof GatewayError) return { text: error.message, status: 1 };
  if (error instanceof FaultError) return { text: error.message, status: 1 };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text: `fault of ssebench itself: ${text}`, status: 1 };
}

function remedy(code: string): string {
  return code === 'build_failed' ? '' : '; "ssebench doctor" says more';
}

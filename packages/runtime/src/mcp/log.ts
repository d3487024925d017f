import { Budget } from '../daemon/budget.ts';
import { type LogFields, type LogLevel, logLine } from '../entrypoint/log.ts';

/** Bytes of log that one server writes: the agent decides how often it is called. */
const left = new Budget(4 * 1024 * 1024);
const MAX_VALUE = 2_000;

/** One line on standard error, which the entrypoint sends to `mcp.log`. */
export function log(level: LogLevel, msg: string, fields: LogFields = {}): void {
  const short = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_VALUE) : value,
  ]);
  const line = logLine(level, msg, { service: 'mcp', ...Object.fromEntries(short) });
  if (left.take(Buffer.byteLength(line))) process.stderr.write(line);
}

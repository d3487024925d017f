import { MODEL_PROTOCOLS, modelEndpoint } from '@ssebench/sdk/model/endpoint';
import { UsageError } from './usage.ts';

/** `sse model PROTOCOL [--json]`: lines that a shell evaluates, or all there is as JSON. @throws UsageError */
export function modelSettings([name, option]: readonly string[]): string {
  const protocol = MODEL_PROTOCOLS.find((known) => known === name);
  if (!protocol || (option !== undefined && option !== '--json'))
    throw new UsageError(`sse model must be followed by one of ${MODEL_PROTOCOLS.join(', ')}, and --json or nothing`);
  const endpoint = modelEndpoint(protocol);
  if (option === '--json') return JSON.stringify(endpoint, null, 2);
  const lines = Object.entries(endpoint.variables).map(([variable, value]) => `export ${variable}=${quoted(value)}`);
  return lines.join('\n');
}

/** For a POSIX shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

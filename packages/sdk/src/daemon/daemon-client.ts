import { Agent } from 'node:http';
import { ApiError, Capabilities, Diff, Files, Metadata, ScriptResult, Version } from '@ssebench/contracts/daemon-api';
import type { BencherAction } from '@ssebench/contracts/difficulty';
import type { z } from 'zod';
import { type DaemonAddress, daemonAddress } from './address.ts';
import { DaemonError } from './daemon-error.ts';
import { daemonRequest } from './daemon-request.ts';

/** Limit of calls that only look something up. Milliseconds. */
const LOOKUP_MS = 30_000;
/** Limit of calls that look through the agent's whole tree. Milliseconds. */
const TREE_MS = 600_000;

export interface CallLimit {
  timeoutMs?: number;
  /** Gives up the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CheckArgument {
  /** Check the graded copy instead of the agent's tree: on the admin socket alone. */
  grading?: boolean;
  /** On the strict tree. */
  strict?: boolean;
  /** Only for `run_poc`: which one, and in which build. */
  poc?: string;
  build?: string | undefined;
}

/**
 * The daemon's API over one of its listeners, as it serves agents; connections are kept between calls. Every call ends
 * within its limit.
 * @throws DaemonError from every call: the code of the answer, `internal` for an answer that is not what the contracts say
 */
export class DaemonClient {
  readonly #address: DaemonAddress;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(address: DaemonAddress = daemonAddress()) {
    this.#address = address;
  }

  /** Closes kept connections; calls on their way fail. */
  close(): void {
    this.#agent.destroy();
  }

  version(limit: CallLimit = {}): Promise<z.infer<typeof Version>> {
    return this.call('GET', '/version', Version, undefined, limit);
  }

  project(limit: CallLimit = {}): Promise<Metadata> {
    return this.call('GET', '/project', Metadata, undefined, limit);
  }

  capabilities(limit: CallLimit = {}): Promise<Capabilities> {
    return this.call('GET', '/capabilities', Capabilities, undefined, limit);
  }

  /** The changes in the agent's tree, as they would be captured now. */
  diff(limit: CallLimit = {}): Promise<Diff> {
    return this.call('GET', '/diff', Diff, undefined, { timeoutMs: TREE_MS, ...limit });
  }

  /** The files that `diff` changes. */
  files(limit: CallLimit = {}): Promise<z.infer<typeof Files>> {
    return this.call('GET', '/files', Files, undefined, { timeoutMs: TREE_MS, ...limit });
  }

  /** Runs one check. A script that ran and failed is a result, not an error. */
  check(
    action: BencherAction,
    argument: CheckArgument,
    limit: CallLimit & { timeoutMs: number },
  ): Promise<ScriptResult> {
    return this.call('POST', `/tool/bencher?action=${action}`, ScriptResult, argument, limit);
  }

  /** The reference patch; empty when the task has none. Admin socket only: `admin_only` on every other. */
  referencePatch(limit: CallLimit = {}): Promise<Diff> {
    return this.call('GET', '/reference/patch', Diff, undefined, limit);
  }

  protected async call<T>(
    method: 'GET' | 'POST',
    path: string,
    schema: z.ZodType<T>,
    body: unknown,
    limit: CallLimit,
  ): Promise<T> {
    const { status, body: bytes } = await daemonRequest({
      agent: this.#agent,
      address: this.#address,
      method,
      path,
      body,
      timeoutMs: limit.timeoutMs ?? LOOKUP_MS,
      signal: limit.signal,
    });
    const answer = parseJson(bytes);
    if (status !== 200) throw errorOf(path, status, answer);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new DaemonError('internal', `the answer to ${path} is not what was agreed: ${parsed.error.message}`, status);
  }
}

function errorOf(path: string, status: number, answer: unknown): DaemonError {
  const parsed = ApiError.safeParse(answer);
  if (parsed.success) return new DaemonError(parsed.data.code, parsed.data.error, status);
  return new DaemonError('internal', `${path} answered with status ${status} and no error code`, status);
}

/** The value, or undefined for what is not JSON: no schema takes it. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

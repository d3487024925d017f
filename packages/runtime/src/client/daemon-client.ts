import { Agent } from 'node:http';
import {
  ApiError,
  Capabilities,
  CaptureReport,
  GradingPreparation,
  Metadata,
  ScriptResult,
  Success,
  Version,
} from '@ssebench/contracts/daemon-api';
import type { BencherAction } from '@ssebench/contracts/difficulty';
import type { RunEvent } from '@ssebench/contracts/events';
import type { z } from 'zod';
import { DaemonError } from './daemon-error.ts';
import { unixRequest } from './unix-request.ts';

/** Limit of calls that only look something up. Milliseconds. */
const LOOKUP_MS = 30_000;

export interface CallLimit {
  timeoutMs?: number;
  /** Gives up the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CheckArgument {
  /** Check the graded copy instead of the agent's tree. */
  grading: boolean;
  /** On the strict tree. */
  strict?: boolean;
  /** Only for `run_poc`: which one, and in which build. */
  poc?: string;
  build?: string | undefined;
}

/**
 * The daemon's API over one of its Unix sockets. Every call ends within its limit.
 * @throws DaemonError from every call: the code of the answer, `internal` for an answer that is not what the contracts say
 */
export class DaemonClient {
  readonly #socketPath: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Closes kept connections; calls on their way fail. */
  close(): void {
    this.#agent.destroy();
  }

  version(limit: CallLimit = {}): Promise<z.infer<typeof Version>> {
    return this.#call('GET', '/version', Version, undefined, limit);
  }

  project(limit: CallLimit = {}): Promise<Metadata> {
    return this.#call('GET', '/project', Metadata, undefined, limit);
  }

  capabilities(limit: CallLimit = {}): Promise<Capabilities> {
    return this.#call('GET', '/capabilities', Capabilities, undefined, limit);
  }

  /** Runs one check. A script that ran and failed is a result, not an error. */
  check(
    action: BencherAction,
    argument: CheckArgument,
    limit: CallLimit & { timeoutMs: number },
  ): Promise<ScriptResult> {
    return this.#call('POST', `/tool/bencher?action=${action}`, ScriptResult, argument, limit);
  }

  /** Ends the agent phase and the agent's processes. Admin socket only, like the calls below. */
  async agentExited(limit: CallLimit & { timeoutMs: number }): Promise<void> {
    await this.#call('POST', '/admin/agent_exited', Success, {}, limit);
  }

  captureTree(limit: CallLimit & { timeoutMs: number }): Promise<CaptureReport> {
    return this.#call('POST', '/admin/capture', CaptureReport, {}, limit);
  }

  prepareGrading(limit: CallLimit & { timeoutMs: number }): Promise<GradingPreparation> {
    return this.#call('POST', '/prepare_grading', GradingPreparation, {}, limit);
  }

  async publish(event: RunEvent, limit: CallLimit = {}): Promise<void> {
    await this.#call('POST', '/admin/events', Success, event, limit);
  }

  async #call<T>(
    method: 'GET' | 'POST',
    path: string,
    schema: z.ZodType<T>,
    body: unknown,
    limit: CallLimit,
  ): Promise<T> {
    const { status, body: bytes } = await unixRequest({
      agent: this.#agent,
      socketPath: this.#socketPath,
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

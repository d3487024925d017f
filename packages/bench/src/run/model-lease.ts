import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { MODEL_CALLS_FILE } from '@ssebench/contracts/model-calls';
import { unreadUse } from '@ssebench/contracts/model-use';
import type { ModelCourse } from '@ssebench/contracts/owner-file';
import { GatewayError, type ModelGateway } from '../gateway/model-gateway.ts';
import type { RunOwner } from './owner.ts';
import type { RunPlan } from './plan.ts';
import type { Stage } from './run-scene.ts';

/** The gateway's socket in a run's short host directory, and so in its container. */
const SOCKET = 'model.sock';
/** How often the books are asked for in the end, and after what pause: a gateway that was ended comes back. Milliseconds. */
const TRIES = 3;

type ModelStage = Pick<Stage, 'record' | 'owner' | 'facts' | 'directory'>;

/** Where the gateway listens for a run. */
export function modelSocket({ work }: Pick<RunOwner, 'work'>): string {
  return join(work, SOCKET);
}

/** What a run may do with its model, and what answers in its place. */
type ModelTerms = Pick<RunPlan, 'allowed' | 'record' | 'replay'> & { budget: number };

/** A run's way to its model: open from before its container is made until it is disposed of, with what was used in the record. */
export class ModelLease implements AsyncDisposable {
  /** How another command closes it. */
  readonly course: ModelCourse;
  /** Empty in a run that was taken over: its container has it. */
  readonly key: string;
  readonly #stage: ModelStage;
  readonly #gateway: ModelGateway;
  readonly #over = new AbortController();

  private constructor(stage: ModelStage, gateway: ModelGateway, course: ModelCourse, key: string) {
    this.#stage = stage;
    this.#gateway = gateway;
    this.course = course;
    this.key = key;
    void gateway.keep(this.#over.signal);
  }

  /** @throws FaultError `gateway_failed` */
  static async open(
    stage: ModelStage,
    { budget, allowed, record, replay }: ModelTerms,
    connect: () => Promise<ModelGateway>,
  ): Promise<ModelLease> {
    const { facts, owner, directory } = stage;
    try {
      const gateway = await connect();
      const socket = modelSocket(owner);
      const { model } = facts.settings;
      const { key } = await gateway.open({
        runId: nameOf(facts.runId, directory.token),
        model,
        budget,
        allowed,
        socket,
        record: record ? join(directory.live, MODEL_CALLS_FILE) : null,
        replay,
      });
      return new ModelLease(stage, gateway, { gateway: gateway.kind, budget, allowed: [...allowed] }, key);
    } catch (error) {
      if (error instanceof GatewayError) throw new FaultError(fault('gateway_failed', error.message), { cause: error });
      throw error;
    }
  }

  /** That of a run whose command was killed. */
  static take(stage: ModelStage, course: ModelCourse, gateway: ModelGateway): ModelLease {
    return new ModelLease(stage, gateway, course, '');
  }

  /** What the books say stands in the record; where they can't be read, that they can't. A grade stands all the same. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    const { record, owner, facts, directory } = this.#stage;
    const { budget, allowed } = this.course;
    for (let attempt = 1; ; attempt += 1) {
      try {
        record.model = await this.#gateway.close({
          runId: nameOf(facts.runId, directory.token),
          budget,
          allowed,
          socket: modelSocket(owner),
        });
        return;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        if (attempt === TRIES) {
          noteUnread(record, this.course, error);
          return;
        }
      }
    }
  }
}

/** The books of a run can't be read: what it spent is not known, and never counts as nothing. */
export function noteUnread(record: Stage['record'], course: ModelCourse, { message }: GatewayError): void {
  record.model = unreadUse(course, message);
  record.fail(fault('gateway_failed', `what the run spent is not known: ${message}`, { phase: 'collect' }));
}

/** Runs of different tasks may have one ID; in the gateway's books each has a name of its own. */
export function nameOf(runId: string, token: string): string {
  return `${token}-${runId}`.slice(0, 128);
}

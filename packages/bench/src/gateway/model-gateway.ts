import type { GatewayKind, ModelUse } from '@ssebench/contracts/model-use';

/** What a run asks of its model. */
export interface ModelRun {
  runId: string;
  /** As `--model` names it. */
  model: string;
  /** US dollars. */
  budget: number;
  /** What is allowed that is refused otherwise: see `MODEL_SWITCHES`. */
  allowed: readonly string[];
  /** Where the gateway is to listen for this run alone: a Unix socket, absolute. */
  socket: string;
  /** Where its calls are to be recorded, absolute; null: nowhere. */
  record: string | null;
  /** The recording that is to answer in place of the model, absolute; null: the model does. */
  replay: string | null;
}

/** What stands between agents and the models' providers. Each call is bounded in time. */
export interface ModelGateway {
  readonly kind: GatewayKind;
  /**
   * Opens the gateway for a run, which gets a key of its own for one model and one budget.
   * @throws GatewayError when there will be none
   */
  open(run: ModelRun): Promise<{ key: string }>;
  /** Sees to it that what serves the run is there, or is there again, until `signal` fires. Never throws. */
  keep(signal: AbortSignal): Promise<void>;
  /**
   * Ends it: the key is worth nothing from then on, calls under way are cut and settled, the socket is gone. Again, for a
   * run that is closed already, it only tells what was used.
   * @throws GatewayError when the gateway can't be reached; the books are not lost by that
   */
  close(run: Pick<ModelRun, 'runId' | 'budget' | 'allowed' | 'socket'>): Promise<ModelUse>;
}

/** Why a gateway can't serve. One line. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The gateway's own, where it said why. */
  readonly code: string | undefined;

  constructor(message: string, { code, ...options }: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    this.code = code;
  }
}

import type { Recordings } from '../recording/recordings.ts';
import type { Replays } from '../replay/replays.ts';
import type { BodyRoom } from './body-room.ts';
import type { LiveCalls } from './live-calls.ts';
import type { Clock, Ledger, ModelCatalog, Pricing } from './ports.ts';
import type { RetryPolicy } from './retry.ts';
import type { Upstream } from './upstream.ts';

/** What the parts of the server share. */
export interface Gateway {
  readonly ledger: Ledger;
  readonly catalog: ModelCatalog;
  readonly pricing: Pricing;
  readonly clock: Clock;
  readonly upstream: Upstream;
  readonly calls: LiveCalls;
  readonly bodies: BodyRoom;
  readonly recordings: Recordings;
  readonly replays: Replays;
  readonly limits: Limits;
  /** One line of the process' log; never a key or a body. */
  readonly log: (line: string) => void;
}

export interface Limits {
  readonly bodyBytes: number;
  /** How long a call waits for its turn, or for money that calls under way hold. */
  readonly waitMs: number;
  /** A client that took nothing for so long is to blame for an answer that broke off. */
  readonly stallMs: number;
  readonly retry: RetryPolicy;
}

import type { IncomingMessage } from 'node:http';
import type { JsonView } from '../json/view.ts';
import type { Asked, Protocol, Route } from '../protocols/protocol.ts';
import type { RecordedResponse } from '../recording/recorded-response.ts';
import type { Translation } from '../translate/translator.ts';
import type { GatewayModel, KeyInfo } from './ports.ts';

/** A request that may be made: it was looked at, and costs money from here on. */
export interface Call {
  readonly key: string;
  readonly run: KeyInfo;
  readonly model: GatewayModel;
  /** What the client speaks. */
  readonly client: Protocol;
  /** What the provider speaks: another protocol only where there is a `translation`. The request is in this one. */
  readonly protocol: Protocol;
  readonly translation?: Translation | undefined;
  readonly route: Route;
  readonly view: JsonView;
  readonly asked: Asked;
  readonly search: string;
  readonly request: IncomingMessage;
  readonly response: RecordedResponse;
}

import type { IncomingMessage } from 'node:http';
import type { GatewayModel } from '../server/ports.ts';
import type { RecordedResponse } from './recorded-response.ts';
import type { Recordings } from './recordings.ts';
import { cleanPath } from './secrets.ts';

/** A request that is whole, and who sent it. */
export interface WholeRequest {
  readonly runId: string;
  /** Of the run. */
  readonly key: string;
  readonly protocol: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: RecordedResponse;
}

/** Has the request and all that its answer will be written into the recording at `path`. Never throws. */
export async function recordExchange(
  recordings: Recordings,
  path: string,
  { runId, key, protocol, request, body, response }: WholeRequest,
  model: GatewayModel | undefined,
): Promise<void> {
  const recorder = await recordings.begin(runId, path, [key, ...providerKey(model)], (secrets) => ({
    protocol,
    path: cleanPath(request.url ?? '/'),
    headers: secrets.cleanHeaders(request),
    body,
  }));
  if (recorder !== undefined) response.recordWith(recorder);
}

/** A provider may repeat its key in what it says. None where there is none: then the call itself fails. */
function providerKey(model: GatewayModel | undefined): string[] {
  try {
    return model === undefined ? [] : [model.apiKey()];
  } catch {
    return [];
  }
}

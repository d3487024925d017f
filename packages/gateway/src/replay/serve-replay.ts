import { once } from 'node:events';
import type { ReplayDifference } from '@ssebench/contracts/model-calls';
import type { Protocol, WireError } from '../protocols/protocol.ts';
import type { RecordedResponse } from '../recording/recorded-response.ts';
import { sendError } from '../server/http.ts';
import type { Entry, Question, Replay } from './replay.ts';

/** Of one connection, or made anew. */
const NOT_AGAIN = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/** Answers a request from a recording; a request that is not in it is an error, in the protocol's own shape. */
export async function serveReplay(
  replay: Replay,
  protocol: Protocol,
  question: Question,
  response: RecordedResponse,
): Promise<void> {
  const taken = await replay.take(question);
  const { recorder } = response;
  if ('difference' in taken) {
    if (recorder) recorder.replay = { of: null, difference: taken.difference };
    return sendError(response, protocol, notRecorded(taken.difference));
  }
  const { entry } = taken;
  if (recorder) recorder.replay = { of: entry.number, difference: null };
  if (entry.status === 0) {
    response.destroy();
    return;
  }
  response.writeHead(entry.status, headersOf(entry));
  for await (const piece of replay.answer(entry)) {
    if (response.destroyed) return;
    if (piece.length > 0 && !response.write(piece)) await drained(response);
  }
  if (entry.end === 'whole') response.end();
  else if (entry.end === 'broken') response.destroy();
  // The client of then did not wait for more: this one won't, either.
}

function headersOf({ headers, length }: Entry): Record<string, string | string[]> {
  const again = Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_AGAIN.has(name)));
  return length !== undefined && 'content-length' in headers ? { ...again, 'content-length': String(length) } : again;
}

async function drained(response: RecordedResponse): Promise<void> {
  const over = new AbortController();
  const close = () => over.abort();
  response.once('close', close);
  if (response.closed) close();
  await once(response, 'drain', { signal: over.signal }).catch(() => undefined);
  response.off('close', close);
}

/** One sentence for the agent, and for who reads its log. */
function notRecorded(difference: ReplayDifference): WireError {
  const { exchange, field, recorded, found } = difference;
  const call = exchange === null ? 'there are no more calls to this path' : `call ${exchange} was recorded otherwise`;
  const where = exchange === null ? '' : `: ${field === '' ? 'the body' : field} was ${recorded}, and is ${found}`;
  return { kind: 'refused', status: 400, message: `not in the recording of this replay; ${call}${where}` };
}

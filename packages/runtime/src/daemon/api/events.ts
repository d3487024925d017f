import type { EventLog } from '../events.ts';
import type { Handler } from './handler.ts';

/** `GET /events`: all events from the start, or after `Last-Event-ID`, and then each as it comes. */
export const streamEvents: Handler = (call, { events, stop }) => {
  const last = Number(call.header('last-event-id') ?? 0);
  const from = Number.isInteger(last) && last > 0 ? last : 0;
  const signal = AbortSignal.any([stop, call.signal]);
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'close' },
    body: serverSentEvents(events, from, signal),
  };
};

async function* serverSentEvents(events: EventLog, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // A first line at once, so that the reader knows that it is connected.
  yield encoder.encode(': events\n\n');
  for await (const { id, event } of events.follow(from, signal)) {
    yield encoder.encode(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}

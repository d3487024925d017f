import { isEngineError } from '../errors.ts';
import type { ContainerEngine, EngineEvent } from '../port.ts';
import { jsonLines } from './json-lines.ts';
import { labelFilter } from './labels.ts';
import type { AnswerStream, Transport } from './transport.ts';

interface WireEvent {
  Type: EngineEvent['type'];
  Action: string;
  Actor: { ID: string; Attributes: Record<string, string> | null };
  /** Nanoseconds since 1970, rounded by JSON to about a microsecond. */
  timeNano: number;
}

export function eventCalls(transport: Transport): Pick<ContainerEngine, 'events'> {
  return {
    async events(filter, signal) {
      const filters = {
        type: filter.types ?? ['container', 'image'],
        label: labelFilter(filter.labels ?? {}),
        ...(filter.actions && { event: filter.actions }),
        ...(filter.containers && { container: filter.containers }),
      };
      const query = { filters: JSON.stringify(filters) };
      const call = { operation: 'follow the events', method: 'GET', path: '/events', query } as const;
      return readEvents(await transport.stream(call, {}, signal));
    },
  };
}

async function* readEvents(answer: AnswerStream): AsyncGenerator<EngineEvent, void, undefined> {
  try {
    for await (const event of jsonLines<WireEvent>(answer)) {
      yield {
        type: event.Type,
        action: event.Action,
        id: event.Actor.ID,
        attributes: event.Actor.Attributes ?? {},
        at: new Date(event.timeNano / 1e6),
      };
    }
  } catch (error) {
    if (!isEngineError(error, 'aborted')) throw error;
  }
}

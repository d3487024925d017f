import { isEngineError } from '../errors.ts';
import type { ContainerEngine, EngineEvent, EventFilter } from '../port.ts';
import { jsonLines } from './json-lines.ts';
import { isLabelled, OURS } from './labels.ts';
import type { AnswerStream, Transport } from './transport.ts';

interface WireEvent {
  Type: EngineEvent['type'];
  Action: string;
  Actor: { ID: string; Attributes: Record<string, string> | null };
  /** Nanoseconds since 1970, rounded by JSON to about a microsecond. */
  timeNano: number;
}

/** Podman's words for what the Docker Engine API names otherwise. */
const ACTION: Readonly<Record<string, string>> = { died: 'die', remove: 'destroy' };

export function eventCalls(transport: Transport): Pick<ContainerEngine, 'events'> {
  return {
    async events(filter, signal) {
      const query = {
        filters: JSON.stringify({ type: filter.types ?? ['container', 'image'], label: OURS }),
        since: filter.since && (filter.since.getTime() / 1000).toFixed(3),
      };
      const call = { operation: 'follow the events', method: 'GET', path: '/events', query } as const;
      return wanted(await transport.stream(call, {}, signal), filter);
    },
  };
}

async function* wanted(answer: AnswerStream, filter: EventFilter): AsyncGenerator<EngineEvent, void, undefined> {
  try {
    for await (const line of jsonLines<WireEvent>(answer)) {
      const event = readEvent(line);
      if (filter.actions && !filter.actions.includes(event.action)) continue;
      if (filter.containers && !filter.containers.includes(event.id)) continue;
      if (isLabelled(event.attributes, filter.labels ?? {})) yield event;
    }
  } catch (error) {
    if (!isEngineError(error, 'aborted')) throw error;
  }
}

function readEvent({ Type, Action, Actor, timeNano }: WireEvent): EngineEvent {
  const { containerExitCode, ...attributes } = Actor.Attributes ?? {};
  return {
    type: Type,
    action: ACTION[Action] ?? Action,
    id: Actor.ID,
    attributes: { ...attributes, ...(containerExitCode !== undefined && { exitCode: containerExitCode }) },
    at: new Date(timeNano / 1e6),
  };
}

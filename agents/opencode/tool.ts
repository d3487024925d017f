import { countOf, type JsonObject, objectOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';

interface ToolEntries {
  readonly entries: DialogInput[];
  /** How far it is written with these. */
  readonly state?: 'started' | 'done';
}

/**
 * What is to be written of a tool's part. A call whose arguments are still coming is not one yet.
 * @param started its start is written
 * @param last nothing more will come of it
 */
export function toolEntries(part: JsonObject, id: string, started: boolean, last: boolean): ToolEntries {
  const state = objectOf(part['state']);
  const status = textOf(state['status']);
  if (status === 'pending') return { entries: [] };
  const tool = { type: 'tool', tool_id: textOf(part['callID']) || id, name: textOf(part['tool']) } as const;
  const start: DialogInput[] = started ? [] : [{ ...tool, status: 'running', args: { ...objectOf(state['input']) } }];
  const output = textOf(objectOf(state['metadata'])['output']);
  if (status === 'running') {
    if (!last) return { entries: start, state: 'started' };
    const error = `The session ended before the tool did.\n${output}`.trimEnd();
    return { entries: [...start, { ...tool, status: 'error', error }], state: 'done' };
  }
  return { entries: [...start, { ...tool, ...outcomeOf(state, status) }], state: 'done' };
}

function outcomeOf(state: JsonObject, status: string) {
  if (status === 'error') return { status: 'error', error: textOf(state['error']) } as const;
  const output = textOf(state['output']);
  const exit = countOf(objectOf(state['metadata'])['exit']);
  if (exit > 0) return { status: 'error', error: `exit code ${exit}\n${output}` } as const;
  return { status: 'success', result: output } as const;
}

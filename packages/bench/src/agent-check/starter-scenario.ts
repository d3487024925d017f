import type { Scenario, Step } from '@ssebench/gateway/scripted/scenario';

/** The task of `datasets/starter` that an agent is checked on: C, so it builds and grades in seconds. */
export const STARTER_TASK = 'iniq-heap-overflow';
/** Where its source is in the container. */
export const STARTER_SOURCE = '/src/iniq';
/** The file that the scenario edits, in the source. */
export const STARTER_FILE = 'text.c';

/** What the scripted model thinks and says: looked for in the session that an agent's wrapper records. */
export const SAYS = {
  think: 'The capacity is doubled once, whatever is needed.',
  first: 'I look at how the buffer grows.',
  last: 'The buffer now grows until there is room.',
} as const;

const PATH = `${STARTER_SOURCE}/${STARTER_FILE}`;

/** The task's own fix. */
export const STARTER_FIX = {
  do: 'edit',
  path: PATH,
  old: '    capacity = capacity == 0 ? FIRST_CAPACITY : capacity * 2;',
  new: `    if (capacity == 0)
        capacity = FIRST_CAPACITY;
    while (capacity <= text->length + count)
        capacity *= 2;`,
} as const satisfies Step;

/** An agent's whole work on the task: it looks, edits, tests and finishes. */
export const STARTER_SCENARIO: Scenario = {
  steps: [
    { do: 'run', command: `grep -n capacity ${STARTER_FILE}`, think: SAYS.think, say: SAYS.first },
    { do: 'read', path: PATH },
    STARTER_FIX,
    { do: 'test_patch' },
    { do: 'finish', say: SAYS.last },
  ],
};

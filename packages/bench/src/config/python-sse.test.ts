import { expect, test } from 'vitest';
import { pythonUses } from './python-sse.ts';

test.each([
  ['from sse.prompt import task_prompt', 'from sse.prompt import task_prompt', 'sse prompt'],
  ['    import sse.project as project', 'import sse.project', 'sse project'],
  ['from sse.tools import bencher  # builds', 'from sse.tools import bencher', 'sse test'],
  ['from sse import project, dialog', 'from sse import project, dialog', 'sse dialog'],
  ['from sse.ai import OpenCodeAgent', 'from sse.ai import OpenCodeAgent', 'sse model'],
  ['import sse', 'import sse', 'sse (sse help lists its commands)'],
  [`python3 -c "from sse.prompt import task_prompt; print()"`, 'from sse.prompt import task_prompt', 'sse prompt'],
  ['exec python3 -u -m sse.mcp', 'python3 -u -m sse.mcp', 'sse mcp'],
  ['RUN pip install ssebench-sdk==1.2.0', 'ssebench-sdk', 'sse (sse help lists its commands)'],
])('%j is what %j does in Python', (text, found, command) => {
  expect(pythonUses(`first\n${text}\n`)).toEqual([{ line: 2, found, command }]);
});

test.each([
  'import ssex',
  'from asse import x',
  'import os, json',
  '# import sse',
  'from sseclient import SSEClient',
  'import sse_starlette',
  'sse prompt | my-agent',
  'CMD ["sse", "node", "run.ts"]',
])('%j is nothing of the kind', (text) => {
  expect(pythonUses(text)).toEqual([]);
});

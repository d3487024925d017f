import { countOf, type JsonObject, objectOf, objectsOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';

interface Done {
  name: string;
  args: Record<string, unknown>;
  output: string;
}

/** An item that Codex has completed (a command, a change of files, an MCP call), as a call and its result. */
export function doneBy(item: JsonObject): [start: DialogInput, end: DialogInput] | undefined {
  const done = whatWasDone(item);
  if (!done) return undefined;
  const tool = { type: 'tool', tool_id: textOf(item['id']), name: done.name } as const;
  const isFailed = item['status'] !== 'completed';
  return [
    { ...tool, status: 'running', args: done.args },
    isFailed ? { ...tool, status: 'error', error: done.output } : { ...tool, status: 'success', result: done.output },
  ];
}

function whatWasDone(item: JsonObject): Done | undefined {
  switch (item['type']) {
    case 'CommandExecution':
      return { name: 'exec_command', args: { cmd: commandOf(item['command']) }, output: commandOutput(item) };
    case 'FileChange':
      return {
        name: 'apply_patch',
        args: { changes: item['changes'] },
        output: [item['stdout'], item['stderr']].map(textOf).filter(Boolean).join('\n'),
      };
    case 'McpToolCall':
      return {
        name: `mcp__${textOf(item['server'])}__${textOf(item['tool'])}`,
        args: { ...objectOf(item['arguments']) },
        output: mcpOutput(item),
      };
    default:
      return undefined;
  }
}

/** What a shell was given; all words where it was none. */
function commandOf(command: unknown): string {
  const words = Array.isArray(command) ? command.map(textOf) : [];
  return words.length === 3 && words[1]?.endsWith('c') ? (words[2] ?? '') : words.join(' ');
}

function commandOutput(item: JsonObject): string {
  const output = textOf(item['aggregated_output']);
  const code = item['exit_code'];
  return countOf(code) > 0 ? `exit code ${countOf(code)}\n${output}` : output;
}

function mcpOutput(item: JsonObject): string {
  const error = textOf(objectOf(item['error'])['message']);
  const texts = objectsOf(objectOf(item['result'])['content']).map(({ text }) => textOf(text));
  return [error, ...texts].filter(Boolean).join('\n');
}

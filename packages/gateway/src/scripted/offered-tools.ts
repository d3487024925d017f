import type { OfferedTool } from './asked.ts';
import { type JsonObject, object } from './json.ts';
import type { ScriptedCall } from './reply.ts';
import { sampleObject, typeOf } from './sample-value.ts';
import type { Act } from './scenario.ts';
import { applyPatchText, editCommand, quoted } from './shell-edit.ts';

/** Names that agents give the tool that executes a command, those that are meant for it first. */
const SHELLS = [
  'bash',
  'shell_command',
  'exec_command',
  'shell',
  'local_shell',
  'run_shell_command',
  'container.exec',
  'execute_command',
  'run_command',
  'terminal',
  'exec',
];
const EDITORS = ['edit', 'replace', 'str_replace', 'edit_file', 'apply_patch'];
const READERS = ['read', 'read_file'];

/** What the members of tools' inputs are called, without case and underscores. */
const MEMBERS = {
  command: ['command', 'cmd', 'script'],
  path: ['path', 'filepath', 'absolutepath', 'file', 'filename'],
  old: ['old', 'oldstring', 'oldstr', 'oldtext'],
  new: ['new', 'newstring', 'newstr', 'newtext'],
  patch: ['patch', 'input', 'patchtext'],
} as const;

/** How long a shell tool that answers before its command has ended may wait for it, in milliseconds. */
const PATIENCE = { yield_time_ms: 600_000 };

/** Whether a request offers something to work with; requests that don't are no part of an agent's conversation. */
export function canWork(tools: readonly OfferedTool[]): boolean {
  return shell(tools) !== undefined || named(tools, EDITORS) !== undefined || testPatch(tools) !== undefined;
}

/** The tool that executes commands. */
function shell(tools: readonly OfferedTool[]): OfferedTool | undefined {
  return named(tools, SHELLS) ?? tools.find((tool) => member(tool, 'command') !== undefined);
}

/** The tool `test_patch`, whatever the agent puts before the name. */
function testPatch(tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find(({ name }) => name.endsWith('test_patch'));
}

/** The call that does this. Undefined when no tool is offered that can. */
export function callFor(act: Act, tools: readonly OfferedTool[]): ScriptedCall | undefined {
  switch (act.do) {
    case 'run':
      return inShell(act.command, tools);
    case 'read':
      return reading(act.path, tools) ?? inShell(`cat ${quoted(act.path)}`, tools);
    case 'edit':
      return editing(act, tools) ?? inShell(editCommand(act), tools);
    case 'test_patch': {
      const tool = testPatch(tools);
      return tool ? call(tool, sampleObject(tool.schema)) : inShell('sse test', tools);
    }
    case 'call': {
      const tool = tools.find(({ name }) => name === act.tool);
      return tool && call(tool, act.input);
    }
  }
}

function call({ name, namespace, kind }: OfferedTool, input: ScriptedCall['input']): ScriptedCall {
  return { name, namespace, kind, input };
}

function inShell(command: string, tools: readonly OfferedTool[]): ScriptedCall | undefined {
  const tool = shell(tools);
  if (tool === undefined) return undefined;
  if (tool.kind === 'custom') return call(tool, command);
  const words = ['bash', '-lc', command];
  if (tool.kind === 'local_shell') return call(tool, { command: words });
  const name = member(tool, 'command') ?? 'command';
  const properties = object(tool.schema['properties']);
  const value = typeOf(object(properties[name])) === 'array' ? words : command;
  const patience = Object.entries(PATIENCE).filter(([key]) => key in properties);
  return call(tool, sampleObject(tool.schema, { [name]: value, ...Object.fromEntries(patience) }));
}

function reading(path: string, tools: readonly OfferedTool[]): ScriptedCall | undefined {
  const tool = named(tools, READERS);
  const name = tool && member(tool, 'path');
  return tool && name !== undefined ? call(tool, sampleObject(tool.schema, { [name]: path })) : undefined;
}

function editing(act: Act & { do: 'edit' }, tools: readonly OfferedTool[]): ScriptedCall | undefined {
  const tool = named(tools, EDITORS);
  if (tool === undefined) return undefined;
  if (tool.kind === 'custom') return call(tool, applyPatchText(act));
  const patch = member(tool, 'patch');
  if (patch !== undefined) return call(tool, sampleObject(tool.schema, { [patch]: applyPatchText(act) }));
  const [path, before, after] = [member(tool, 'path'), member(tool, 'old'), member(tool, 'new')];
  if (path === undefined || before === undefined || after === undefined) return undefined;
  return call(tool, sampleObject(tool.schema, { [path]: act.path, [before]: act.old, [after]: act.new }));
}

function named(tools: readonly OfferedTool[], names: readonly string[]): OfferedTool | undefined {
  for (const name of names) {
    const found = tools.find((tool) => tool.name.toLowerCase() === name);
    if (found) return found;
  }
  return undefined;
}

/** What this tool calls a member of its input. */
function member({ schema }: OfferedTool, which: keyof typeof MEMBERS): string | undefined {
  const properties: JsonObject = object(schema['properties']);
  const names: readonly string[] = MEMBERS[which];
  return Object.keys(properties).find((name) => names.includes(name.toLowerCase().replaceAll('_', '')));
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OfferedTool } from './asked.ts';
import { callFor, canWork } from './offered-tools.ts';

const tool = (name: string, properties: Record<string, string>, more: Partial<OfferedTool> = {}): OfferedTool => {
  const entries = Object.entries(properties).map(([key, type]) => [key.replace('!', ''), { type }]);
  const required = Object.keys(properties).filter((key) => key.endsWith('!'));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(entries),
    required: required.map((key) => key.slice(0, -1)),
  };
  return { name, namespace: undefined, kind: 'function', schema, ...more };
};

/** As the agent programs offer them. */
const SHELLS = {
  'Claude Code': [
    tool('Bash', { 'command!': 'string', timeout: 'number', description: 'string' }),
    { command: 'make' },
  ],
  'Codex, unified': [
    tool('exec_command', { 'cmd!': 'string', yield_time_ms: 'number', workdir: 'string' }),
    { cmd: 'make', yield_time_ms: 600_000 },
  ],
  'Codex, by words': [tool('shell', { 'command!': 'array', workdir: 'string' }), { command: ['bash', '-lc', 'make'] }],
  'Codex, local': [tool('local_shell', {}, { kind: 'local_shell', schema: {} }), { command: ['bash', '-lc', 'make'] }],
  OpenCode: [
    tool('bash', { 'command!': 'string', 'description!': 'string' }),
    { command: 'make', description: 'scripted' },
  ],
  'Gemini CLI': [tool('run_shell_command', { 'command!': 'STRING', dir_path: 'STRING' }), { command: 'make' }],
  "Anthropic's own": [tool('bash', {}, { schema: {} }), { command: 'make' }],
  'a name of its own': [tool('do_it', { 'script!': 'string' }), { script: 'make' }],
} as const;

test.each(Object.entries(SHELLS))('a command in the shell of %s', (_, [shell, input]) => {
  const others = [tool('Read', { 'file_path!': 'string' }), tool('BashOutput', { 'bash_id!': 'string' })];
  expect(callFor({ do: 'run', command: 'make' }, [...others, shell])).toMatchObject({ name: shell.name, input });
});

const EDIT = { do: 'edit', path: '/src/a.c', old: 'a\nb', new: 'c' } as const;
const PATCH = '*** Begin Patch\n*** Update File: /src/a.c\n@@\n-a\n-b\n+c\n*** End Patch\n';

test.each([
  [
    tool('Edit', { 'file_path!': 'string', 'old_string!': 'string', 'new_string!': 'string', replace_all: 'boolean' }),
    { file_path: '/src/a.c', old_string: 'a\nb', new_string: 'c' },
  ],
  [
    tool('edit', { 'filePath!': 'string', 'oldString!': 'string', 'newString!': 'string' }),
    { filePath: '/src/a.c', oldString: 'a\nb', newString: 'c' },
  ],
  [tool('apply_patch', { 'input!': 'string' }), { input: PATCH }],
  [tool('apply_patch', {}, { kind: 'custom', schema: {} }), PATCH],
])('an edit with $name', (editor, input) => {
  expect(callFor(EDIT, [tool('bash', { command: 'string' }), editor])).toMatchObject({ name: editor.name, input });
});

test('an edit where no tool is made for it happens in the shell, quotes and all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scripted-'));
  try {
    const path = join(folder, "it's.c");
    writeFileSync(path, 'int a;\n\tprintf("\\n%s\'", x); // &\nint b;\n');
    const shell = tool('bash', { command: 'string' });
    const edit = {
      do: 'edit',
      path,
      old: '\tprintf("\\n%s\'", x); // &',
      new: '\tputs("\\t\\\\");\n\treturn \'0\';',
    } as const;
    const run = () => {
      const input = callFor(edit, [shell])?.input as { command: string };
      execFileSync('/bin/sh', ['-c', input.command], { stdio: 'pipe' });
    };
    run();
    expect(readFileSync(path, 'utf8')).toBe('int a;\n\tputs("\\t\\\\");\n\treturn \'0\';\nint b;\n');
    expect(run).toThrow();
    expect(readFileSync(path, 'utf8')).toContain('puts');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('test_patch is called by whatever name it has, in its namespace; without it, sse does it', () => {
  const shell = tool('bash', { command: 'string' });
  const own = tool('test_patch', {}, { namespace: 'mcp__sse' });
  expect(callFor({ do: 'test_patch' }, [shell, own])).toMatchObject({ name: 'test_patch', namespace: 'mcp__sse' });
  expect(callFor({ do: 'test_patch' }, [shell])).toMatchObject({ name: 'bash', input: { command: 'sse test' } });
});

test('tools that change nothing are nothing to work with', () => {
  expect(canWork([tool('web_search', { query: 'string' }), tool('Read', { file_path: 'string' })])).toBe(false);
  expect(canWork([tool('bash', { command: 'string' })])).toBe(true);
});

import { describe } from 'vitest';
import { testBundledAgent } from './support/bundled-agent.ts';
import { everything } from './support/hostile.ts';

describe.runIf(everything)('with the real program', () => {
  testBundledAgent({
    agent: 'codex',
    models: ['scripted-openai', 'scripted-anthropic', 'scripted-compatible'],
    // Files are read and edited in the shell, with models that Codex does not know by their names.
    tools: {
      shell: 'exec_command',
      read: 'exec_command',
      edit: 'exec_command',
      testPatch: 'mcp__ssebench__test_patch',
    },
    // Its shell tool answers after half a minute at the latest, also for a command that goes on.
    startLimit: 25,
  });
});

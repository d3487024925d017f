import { describe } from 'vitest';
import { testBundledAgent } from './support/bundled-agent.ts';
import { everything } from './support/hostile.ts';

describe.runIf(everything)('Gemini CLI', () => {
  testBundledAgent({
    agent: 'gemini-cli',
    models: ['scripted-gemini'],
    tools: { shell: 'run_shell_command', read: 'read_file', edit: 'replace', testPatch: 'mcp_ssebench_test_patch' },
    startLimit: 90,
  });
});

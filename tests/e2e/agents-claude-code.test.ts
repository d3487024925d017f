import { testBundledAgent } from './support/bundled-agent.ts';

testBundledAgent({
  agent: 'claude-code',
  models: ['scripted-anthropic', 'scripted-openai', 'scripted-compatible'],
  tools: { shell: 'Bash', read: 'Read', edit: 'Edit', testPatch: 'mcp__ssebench__test_patch' },
});

import { describe } from 'vitest';
import { testBundledAgent } from './support/bundled-agent.ts';
import { everything } from './support/hostile.ts';

describe.runIf(everything)('with the real program', () => {
  testBundledAgent({
    agent: 'opencode',
    models: ['scripted-openai', 'scripted-anthropic', 'scripted-compatible'],
    tools: { shell: 'bash', read: 'read', edit: 'edit', testPatch: 'ssebench_test_patch' },
    tokensComeLate: true,
    startLimit: 90,
  });
});

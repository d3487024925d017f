import type { Metadata } from '@ssebench/contracts/daemon-api';
import { expect, test } from 'vitest';
import { buildPrompt } from './build-prompt.ts';

const TASK: Metadata = {
  id: 'sample-1',
  project: 'sample',
  language: 'c',
  source: '/src/sample',
  task_description: {
    issue: '  Reading an empty table crashes.\n',
    crash_report: ['\n\n  ==1==ERROR: heap-buffer-overflow\n    #0 in ```parse```\n\n', ' \n', 'second report'],
    bug_description: 'NONE',
  },
  poc: ['/ssebench/pocs/secret-name.bin'],
  build_script: '#!/bin/bash\nmake -C src\n',
  test_script: '#!/bin/bash\nset -e\n/ssebench/scripts/build.sh\nmake check\n',
};

const bare = (changes: Partial<Metadata>): Metadata => ({
  ...TASK,
  task_description: { issue: null, crash_report: null, bug_description: null },
  build_script: null,
  test_script: null,
  ...changes,
});

test('the whole prompt of a task', () => {
  expect(buildPrompt(TASK)).toMatchSnapshot();
});

test('a task that says nothing has one sentence instead of sections, and no scripts', () => {
  const prompt = buildPrompt(bare({ language: 'zig' }));
  expect(prompt).toContain(
    '## Vulnerability\n\nNo description of the vulnerability is available for this task.\n\n## Project',
  );
  expect(prompt.endsWith('- Language: zig\n- Source code: /src/sample')).toBe(true);
  expect(prompt).not.toContain('## Build and test');
});

test('one report has no number, and what is left of several is numbered anew', () => {
  const described = { issue: null, bug_description: 'An overflow.' };
  const one = buildPrompt(bare({ task_description: { ...described, crash_report: ['', 'x'] } }));
  expect(one).toContain('### Bug description\n\nAn overflow.\n\n### Report\n\n```text\nx\n```\n\n## Project');
  expect(buildPrompt(TASK)).toMatch(/### Report 1 of 2\n.*### Report 2 of 2\n/s);
});

test('a fence is longer than what it holds, and keeps the indentation of the first line', () => {
  expect(buildPrompt(TASK)).toContain('````text\n  ==1==ERROR: heap-buffer-overflow\n    #0 in ```parse```\n````');
});

test('neither PoCs, the tool, the level nor the build script’s path are told', () => {
  const prompt = buildPrompt(TASK);
  for (const secret of ['secret-name', 'test_patch', 'difficulty', '/ssebench/']) expect(prompt).not.toContain(secret);
  expect(prompt).toContain('set -e\n# build the project first.\nmake check');
});

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../cli/errors.ts';
import { type CliFolder, cliFolder } from '../cli/test-cli.ts';
import { mismatch } from './agent-models.ts';
import { loadAgent } from './agents.ts';
import { loadModels } from './models.ts';

/** What is wrong with the agent `fixer`, with `<dir>` for the folder. */
function problems(folder: CliFolder): string[] {
  try {
    loadAgent(folder.dir, 'fixer');
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.lines.map((line) => line.replaceAll(folder.dir, '<dir>'));
    throw error;
  }
}

test.each([
  ['without a Dockerfile', {}, 'Dockerfile: no such file; it starts FROM ssebench-agent, and its CMD is what runs'],
  [
    'with an unknown key',
    { 'agent.yaml': 'name: fixer\nprotocol: [gemini]\n', Dockerfile: 'FROM ssebench-agent\n' },
    /^agent\.yaml:2: protocol: unknown key, did you mean "protocols"\?/,
  ],
  [
    'with a protocol that nobody speaks',
    { 'agent.yaml': 'name: fixer\nprotocols: [openai]\n', Dockerfile: 'FROM ssebench-agent\n' },
    /^agent\.yaml:2: protocols\[0\]: .*openai-chat/,
  ],
  [
    'with a protocol twice',
    { 'agent.yaml': 'name: fixer\nprotocols: [gemini, gemini]\n', Dockerfile: 'FROM ssebench-agent\n' },
    /^agent\.yaml:2: protocols: must name each protocol once/,
  ],
  [
    'with protocols for no model',
    { 'agent.yaml': 'name: fixer\nkeyless: true\nprotocols: [gemini]\n', Dockerfile: 'FROM ssebench-agent\n' },
    /^agent\.yaml:3: protocols: must be left out with keyless: true, of an agent that calls no model/,
  ],
  [
    'built from the whole workspace',
    { Dockerfile: 'FROM ssebench-agent\nCOPY --from=workspace sdk /sdk\n' },
    /^Dockerfile:2: there is no build context "workspace": the command sse /,
  ],
  [
    'with a program that takes from a task',
    { Dockerfile: 'FROM ssebench-agent AS a\nFROM ssebench-program AS program\nFROM ssebench-agent\n' },
    /^Dockerfile:1: the stage "program" is built once for all tasks/,
  ],
  [
    'with a wrapper that imports what only others have',
    { Dockerfile: 'FROM ssebench-agent\n', 'src/run.py': 'import os\nfrom sse.prompt import task_prompt\n' },
    'src/run.py:2: "from sse.prompt import task_prompt": agents have no Python package sse here; the command sse prompt takes its place',
  ],
  [
    'with such an import in a script',
    { Dockerfile: 'FROM ssebench-agent\n', start: '#!/bin/sh\npython3 - <<EOF\nfrom sse import project\nEOF\n' },
    /^start:3: "from sse import project": .* the command sse project takes its place$/,
  ],
  [
    'with such an import in a here-document',
    { Dockerfile: 'FROM ssebench-agent\nRUN cat > /run.py <<EOF\nimport sse.tools.bencher\nEOF\n' },
    /^Dockerfile:3: "import sse.tools.bencher": .* the command sse test takes its place$/,
  ],
] as const)('a folder %s is refused with the place and what to do', (_, files, message) => {
  using folder = cliFolder();
  folder.remove('agents/fixer/Dockerfile');
  for (const [path, text] of Object.entries(files)) folder.write(`agents/fixer/${path}`, text);
  const [problem, ...more] = problems(folder).map((line) => line.replace('<dir>/agents/fixer/', ''));
  expect(more).toEqual([]);
  if (typeof message === 'string') expect(problem).toBe(message);
  else expect(problem).toMatch(message);
});

test('a package of its own called sse is an agent’s own business', () => {
  using folder = cliFolder();
  folder.write('agents/fixer/sse/__init__.py', '');
  folder.write('agents/fixer/run.py', 'import sse\n');
  expect(problems(folder)).toEqual([]);
});

test('an agent that speaks what the gateway does not translate is told the models for it', () => {
  using folder = cliFolder({ 'agents/fixer/agent.yaml': 'name: fixer\nprotocols: [gemini]\n' });
  folder.write('models/google.yaml', '- model_name: google\n  litellm_params: {model: gemini/gemini-3-pro-preview}\n');
  const models = loadModels(join(folder.dir, 'models'));
  const said = (name: string) => {
    const model = models.find((it) => it.name === name);
    const found = model && mismatch(loadAgent(folder.dir, 'fixer'), model, models, () => undefined);
    return found?.replace(folder.dir, '<dir>');
  };
  expect(said('model-two')).toBe(
    'the agent "fixer" speaks gemini, and the model "model-two" (<dir>/models/all.yaml:7) is served in openai-chat, which is not translated; models for it: google',
  );
  expect(said('google')).toBeUndefined();
  folder.write('agents/fixer/agent.yaml', 'name: fixer\nprotocols: [anthropic-messages]\n');
  expect(said('model-two')).toBeUndefined();
  expect(said('google')).toContain('speaks anthropic-messages');
});

import { expect, test } from 'vitest';
import { cliFolder } from '../test-cli.ts';

const FILES = {
  'agents/heavy/agent.yaml': 'name: heavy\nversion: "2.1"\nprotocols: [gemini, openai-chat]\n',
  'agents/heavy/Dockerfile': 'FROM ssebench-program AS program\nRUN npm ci\nFROM ssebench-agent\nCMD ["x"]\n',
  'agents/google/agent.yaml': 'name: google-only\nprotocols: [gemini]\n',
  'agents/google/Dockerfile': 'FROM ssebench-agent\nCMD ["x"]\n',
  'models/google.yaml': '- model_name: g\n  litellm_params: {model: gemini/gemini-3-pro-preview}\n',
};

test('the list says of every agent its version, what it speaks, and the models and keys for it', () => {
  using folder = cliFolder(FILES);
  const { status, stdout, stderr } = folder.ssebench(['agents', 'list'], { GOOGLE_API_KEY: 'secret' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
    'AGENT  VERSION  SPEAKS  PROGRAM  MODELS  KEY',
    'dummy  0.1.0  none',
    'fixer  0.1.0  3 of 3  MAKER_KEY (not set) or GOOGLE_API_KEY',
    'google  0.1.0  gemini  1 of 3  GOOGLE_API_KEY',
    'heavy  2.1  gemini, openai-chat  yes  3 of 3  MAKER_KEY (not set) or GOOGLE_API_KEY',
    'reference  0.1.0  none',
    '',
  ]);
});

test('the list as JSON names the models, and no key', () => {
  using folder = cliFolder(FILES);
  const { stdout } = folder.ssebench(['agents', 'list', '--json'], { GOOGLE_API_KEY: 'secret' });
  expect(stdout).not.toContain('secret');
  expect(JSON.parse(stdout)[2]).toEqual({
    agent: 'google',
    name: 'google-only',
    version: '0.1.0',
    protocols: ['gemini'],
    program: false,
    models: ['g'],
    keys: [{ variable: 'GOOGLE_API_KEY', set: true }],
  });
  expect(JSON.parse(stdout)[0]).toMatchObject({ agent: 'dummy', models: null, keys: [] });
});

test('folders that can not be used are told with the place and what to do, beside those that can', () => {
  using folder = cliFolder({
    'agents/dummy/agent.yaml': 'name: Dummy\nkeyles: true\n',
    'agents/fixer/run.py': 'import sse\n',
    'agents/reference/Dockerfile': 'FROM debian\n',
    'agents/unnamed/Dockerfile': 'FROM ssebench-agent\n',
    ...FILES,
  });
  const { status, stdout, stderr } = folder.ssebench(['agents', 'list']);
  expect(status).toBe(1);
  expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['AGENT', 'google', 'heavy', '']);
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^agents\/dummy\/agent\.yaml:1: name: must be lower-case letters/),
    expect.stringMatching(/^agents\/dummy\/agent\.yaml:2: keyles: unknown key, did you mean "keyless"\?/),
    expect.stringMatching(
      /^agents\/fixer\/run\.py:1: "import sse": agents have no Python package sse here; the command sse /,
    ),
    'agents/reference/Dockerfile:1: the last stage is built on "debian"; it must be FROM ssebench-agent',
    'agents/unnamed/agent.yaml: no such file',
  ]);
});

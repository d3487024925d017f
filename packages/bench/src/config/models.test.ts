import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { loadModels } from './models.ts';

test('the shipped models are those of the reference, each with the key of its provider', () => {
  const models = loadModels(resolve(import.meta.dirname, '../../../../models'));
  expect(
    models.map(({ name, provider, providerModel, requiredKeys }) => [
      name,
      `${provider}/${providerModel}`,
      ...requiredKeys,
    ]),
  ).toEqual([
    ...[
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-opus-4-6',
      'claude-sonnet-4-6',
      'claude-opus-4-5',
      'claude-sonnet-4-5',
      'claude-haiku-4-5',
    ].map((name) => [name, `anthropic/${name}`, 'ANTHROPIC_API_KEY']),
    ['gemini-3.1-pro', 'gemini/gemini-3.1-pro-preview', 'GOOGLE_API_KEY'],
    ['gemini-3-flash', 'gemini/gemini-3-flash-preview', 'GOOGLE_API_KEY'],
    ...['gpt-5.2', 'gpt-5.1', 'gpt-5.1-codex-max', 'gpt-5.1-codex'].map((name) => [
      name,
      `openai/${name}`,
      'OPENAI_API_KEY',
    ]),
  ]);
});

test('every problem of every file is told at its line, a name that comes twice too', () => {
  using folder = cliFolder({
    'models/b.yml': '- model_name: model-one\n  litellm_params:\n    model: maker/one\n',
    'models/c.yaml': '- model_nam: x\n  litellm_params:\n    model: nowhere\n',
    'models/d.yaml': 'model_name: x\n',
    'models/notes.txt': 'no model',
  });
  const dir = join(folder.dir, 'models');
  expect(() => loadModels(dir)).toThrow(
    [
      `${dir}/b.yml:1: model_name: "model-one" is defined at ${dir}/all.yaml:1 already`,
      `${dir}/c.yaml:1: [0].model_name: missing, must be string`,
      `${dir}/c.yaml:1: [0].model_nam: unknown key, did you mean "model_name"?`,
      `${dir}/c.yaml:3: [0].litellm_params.model: must be <provider>/<id>, found "nowhere"`,
      `${dir}/d.yaml:1: must be array, found object`,
    ].join('\n'),
  );
});

test('a folder that is not there has no models', () => {
  using folder = cliFolder();
  expect(loadModels(join(folder.dir, 'no'))).toEqual([]);
});

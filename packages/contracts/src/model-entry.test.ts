import { expect, test } from 'vitest';
import { ModelsFile, requiredKeys } from './model-entry.ts';
import { DocumentError, parseYaml } from './yaml-document.ts';

function problems(info: string): readonly string[] {
  try {
    const text = `- model_name: one\n  litellm_params: {model: openai/one}\n  model_info:\n${info}`;
    parseYaml(text, ModelsFile, 'a.yaml');
    return [];
  } catch (error) {
    if (error instanceof DocumentError) return error.lines;
    throw error;
  }
}

test('what LiteLLM knows of a model beside what we read is let through', () => {
  expect(
    problems('    mode: chat\n    input_cost_per_token: 5e-06\n    input_cost_per_token_above_200k_tokens: 1e-05\n'),
  ).toEqual([]);
});

test.each([
  [
    'a price for a million tokens',
    '    input_cost_per_token: 4\n',
    '4: [0].model_info.input_cost_per_token: must be US dollars per token, at most 0.01',
  ],
  [
    'a price below 0',
    '    output_cost_per_token: -1\n',
    '4: [0].model_info.output_cost_per_token: must not be below 0',
  ],
  [
    'a price that is text',
    '    input_cost_per_token: "1e-6"\n',
    '4: [0].model_info.input_cost_per_token: must be number, found string',
  ],
  [
    'a tier that is text',
    '    free: false\n    input_cost_per_token_above_200k_tokens: x\n',
    '5: [0].model_info.input_cost_per_token_above_200k_tokens: must be US dollars per token, from 0 to 0.01',
  ],
  [
    'a free model with a price',
    '    free: true\n    input_cost_per_token: 1e-6\n',
    '5: [0].model_info.input_cost_per_token: a model that is free has no price',
  ],
  ['a limit that is none', '    max_output_tokens: 0\n', '4: [0].model_info.max_output_tokens: must be above 0'],
])('%s is a problem at its line', (_, info, problem) => {
  expect(problems(info)).toEqual([`a.yaml:${problem}`]);
});

test('the keys that a model needs are the variables that its parameters name', () => {
  const litellm_params = { model: 'openai/one', api_key: 'os.environ/KEY', api_base: 'os.environ/URL', timeout: 5 };
  expect(requiredKeys({ model_name: 'one', litellm_params })).toEqual(['KEY', 'URL']);
});

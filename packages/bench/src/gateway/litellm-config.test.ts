import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelEntry } from '@ssebench/contracts/model-entry';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadModels } from '../config/models.ts';
import { liteLlmConfig } from './litellm-config.ts';

const CHECKOUT = join(import.meta.dirname, '../../../..');

test('the models of a checkout are LiteLLM\u2019s, with their keys as variables', () => {
  const models = loadModels(join(CHECKOUT, 'models'));
  const { model_list, general_settings } = parse(liteLlmConfig(models.map(({ entry }) => entry)));
  expect(model_list.map(({ model_name }: ModelEntry) => model_name)).toEqual(models.map(({ name }) => name));
  expect(model_list[0].litellm_params).toEqual({
    model: 'anthropic/claude-opus-5-5',
    api_key: 'os.environ/ANTHROPIC_API_KEY',
  });
  expect(general_settings.master_key).toBe('os.environ/LITELLM_MASTER_KEY');
});

test('what LiteLLM would take otherwise is said in its words; its own parameters stay', () => {
  const entries: ModelEntry[] = [
    { model_name: 'g', litellm_params: { model: 'gemini/gemini-x' } },
    {
      model_name: 'own',
      litellm_params: { model: 'openai/llama', api_base: 'http://host:8000/v1', temperature: 0 },
      model_info: { free: true, protocols: ['openai-chat', 'openai-responses'] },
    },
    {
      model_name: 'azure',
      litellm_params: { model: 'azure/x', api_base: 'os.environ/AZURE_BASE', api_version: '2025-01-01' },
      model_info: { input_cost_per_token: 1e-7, base_model: 'azure/gpt' },
    },
  ];
  expect(parse(liteLlmConfig(entries)).model_list).toEqual([
    { model_name: 'g', litellm_params: { model: 'gemini/gemini-x', api_key: 'os.environ/GOOGLE_API_KEY' } },
    {
      model_name: 'own',
      litellm_params: { model: 'openai/llama', api_base: 'http://host:8000/v1', temperature: 0, api_key: 'none' },
      model_info: { input_cost_per_token: 0, output_cost_per_token: 0 },
    },
    entries[2],
  ]);
});

test('the Compose file is YAML whose every variable the command sets, and names the same version as the Dockerfile', () => {
  const file = readFileSync(join(CHECKOUT, 'deploy/litellm/compose.yaml'), 'utf8');
  const { services, networks } = parse(file);
  expect(services.litellm.ports).toHaveLength(1);
  expect(services.database.ports).toBeUndefined();
  expect(services.database.networks).toEqual(['database']);
  expect(networks.database.internal).toBe(true);
  const variables = new Set([...file.matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name]) => name));
  expect([...variables].sort()).toEqual([
    'COMPOSE_PROJECT_NAME',
    'LITELLM_BIND',
    'LITELLM_MASTER_KEY',
    'LITELLM_PORT',
    'POSTGRES_PASSWORD',
    'POSTGRES_USER',
    'SSEBENCH_ENV_FILE',
    'SSEBENCH_LITELLM_CONTEXT',
  ]);
  const version = /litellm:(\S+)/.exec(services.litellm.image)?.[1];
  expect(readFileSync(join(CHECKOUT, 'deploy/litellm/Dockerfile'), 'utf8')).toContain(`"litellm[proxy]==${version}"`);
});

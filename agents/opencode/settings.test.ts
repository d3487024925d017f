import { expect, test } from 'vitest';
import { settingsFor } from './settings.ts';

const ENDPOINT = { baseUrl: 'http://gateway/v1', apiKey: 'k', model: 'm' };
const settings = (protocols: string[], context?: number) => settingsFor(ENDPOINT, { context, protocols });

test.each([
  [['openai-chat', 'openai-responses'], '@ai-sdk/openai'],
  [['anthropic-messages'], '@ai-sdk/anthropic'],
  [['openai-chat'], '@ai-sdk/openai-compatible'],
  [[], '@ai-sdk/openai-compatible'],
])('a provider that speaks %s is spoken to with the client %s', (protocols, npm) => {
  expect(settings(protocols)).toMatchObject({ provider: { ssebench: { npm } } });
});

test('whatever is asked is asked of the run’s model, within its window', () => {
  expect(settings([], 128_000)).toMatchObject({
    model: 'ssebench/m',
    small_model: 'ssebench/m',
    provider: {
      ssebench: { options: { baseURL: 'http://gateway/v1' }, models: { m: { limit: { context: 128_000 } } } },
    },
    permission: { webfetch: 'deny', websearch: 'deny' },
  });
});

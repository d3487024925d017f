import { expect, test } from 'vitest';
import { modelEndpoint } from './endpoint.ts';

const RUN = { SSE_BASE_URL: 'http://litellm:4000/', SSE_API_KEY: 'sk-run', SSE_MODEL_NAME: 'm-1' };

test('every protocol gets the base URL that its clients expect', () => {
  expect(modelEndpoint('anthropic', RUN)).toMatchObject({
    baseUrl: 'http://litellm:4000',
    apiKey: 'sk-run',
    model: 'm-1',
  });
  expect(modelEndpoint('openai', RUN).variables).toEqual({
    OPENAI_BASE_URL: 'http://litellm:4000/v1',
    OPENAI_API_KEY: 'sk-run',
    OPENAI_MODEL: 'm-1',
  });
  expect(modelEndpoint('gemini', RUN).baseUrl).toBe('http://litellm:4000');
});

test('a run without a model says so', () => {
  expect(() => modelEndpoint('openai', { ...RUN, SSE_API_KEY: '' })).toThrow('SSE_API_KEY is not set');
});

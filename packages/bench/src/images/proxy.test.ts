import { expect, test } from 'vitest';
import { proxyArgs } from './proxy.ts';

test('each proxy setting is passed on in both spellings, the lower case one first', () => {
  const env = { HTTPS_PROXY: 'http://a', https_proxy: 'http://b', NO_PROXY: 'localhost', HTTP_PROXY: '', PATH: '/bin' };
  expect(proxyArgs(env)).toEqual({
    HTTPS_PROXY: 'http://b',
    https_proxy: 'http://b',
    NO_PROXY: 'localhost',
    no_proxy: 'localhost',
  });
});

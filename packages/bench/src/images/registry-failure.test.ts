import { EngineError, type EngineErrorCode } from '@ssebench/engine/errors';
import { expect, test } from 'vitest';
import { pullFailure } from './registry-failure.ts';

const WANTED = { ref: 'r.example/case/set/leak-1:v1', pinnedBy: 'images.lock.json', otherwise: 'give --build' };

test.each<[EngineErrorCode, string, RegExp, boolean]>([
  [
    'refused',
    'no basic auth credentials',
    /\nlog in with "docker login", check SSEBENCH_REGISTRY, or give --build$/,
    false,
  ],
  ['refused', 'unauthorized: authentication required', /\nlog in/, false],
  ['refused', 'toomanyrequests: You have reached your pull rate limit.', /\nthe registry wants fewer requests/, true],
  ['refused', 'received unexpected HTTP status: 429 Too Many Requests', /\nthe registry wants fewer requests/, true],
  ['refused', 'unexpected EOF', /\na layer did not arrive whole: try again, or/, true],
  ['refused', 'filesystem layer verification failed for digest sha256:1', /\na layer did not arrive whole/, true],
  [
    'refused',
    'Get "http://r.example/v2/": dial tcp: connection refused',
    /\ncheck that the registry can be reached/,
    true,
  ],
  ['timeout', 'no answer', /\ncheck that the registry can be reached/, true],
  [
    'not_found',
    'manifest unknown',
    /manifest unknown; images\.lock\.json names it, the registry may have lost it\ncheck/,
    false,
  ],
])('%s, %s: what to do is said', (code, detail, message, retryable) => {
  const { fault } = pullFailure(new EngineError(code, { operation: 'pull', detail }), WANTED);
  expect(fault).toMatchObject({ code: 'image_unavailable', blame: 'infra', retryable });
  expect(fault.detail).toMatch(/^r\.example\/case\/set\/leak-1:v1 can't be pulled: /);
  expect(fault.detail).toMatch(message);
});

test('credentials that can not be had are put right where the Docker client keeps them', () => {
  const where = { operation: 'find credentials', detail: "docker-credential-x: can't be run: ENOENT" };
  const { fault } = pullFailure(new EngineError('refused', where), WANTED);
  expect(fault).toMatchObject({ code: 'image_unavailable', retryable: false });
  expect(fault.detail).toMatch(/ENOENT\nput that right in the config\.json of the Docker client, .*, or give --build$/);
});

test('an engine that is gone is no matter of the registry', () => {
  const gone = new EngineError('unreachable', { operation: 'pull', detail: 'gone' });
  expect(() => pullFailure(gone, WANTED)).toThrow(gone);
});

import { expect, test } from 'vitest';
import { preparedRef } from './prepared.ts';

const digests = { 'runtime.cjs': 'aa', 'prepare.cjs': 'bb', 'runtime.json': 'cc' };
const runtime = { key: 'k', hash: 'h', image: 'r/runtime:h', volume: 'v', bundle: { dir: '/', digests } };
const context = { registry: 'localhost/ssebench', version: '1.2.3' };
const task = { id: 'Some-Task' };
const image = { id: `sha256:${'1'.repeat(64)}` };
const key = (...changes: Partial<typeof runtime>[]) =>
  preparedRef(context, 'work', task, image, Object.assign({}, runtime, ...changes)).key;

test('names are lower case, by version for people and by key for us', () => {
  const ref = preparedRef(context, 'tool', task, image, runtime);
  expect(ref.named).toBe('localhost/ssebench/tool/some-task:1.2.3');
  expect(ref.unique).toBe(`localhost/ssebench/tool/some-task:k-${ref.key.slice(0, 12)}`);
});

test('the case image and the preparing program decide, the rest of the runtime does not', () => {
  expect(key({ hash: 'other', image: 'r/runtime:other', key: 'other' })).toBe(key());
  expect(key({ bundle: { dir: '/', digests: { ...digests, 'runtime.cjs': 'other' } } })).toBe(key());
  expect(key({ bundle: { dir: '/', digests: { ...digests, 'prepare.cjs': 'other' } } })).not.toBe(key());
  const other = { id: `sha256:${'2'.repeat(64)}` };
  expect(preparedRef(context, 'work', task, other, runtime).key).not.toBe(key());
  expect(preparedRef(context, 'tool', task, image, runtime).key).not.toBe(key());
});

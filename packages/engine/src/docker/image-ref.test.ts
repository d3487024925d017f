import { expect, test } from 'vitest';
import { imagePath, parseRef } from './image-ref.ts';

test.for([
  ['debian', 'debian', 'latest'],
  ['debian:trixie-slim', 'debian', 'trixie-slim'],
  ['localhost:5000/a/b', 'localhost:5000/a/b', 'latest'],
  ['localhost:5000/a/b:1', 'localhost:5000/a/b', '1'],
  ['a/b@sha256:00ff', 'a/b', 'sha256:00ff'],
] as const)('%s is name %s and tag %s', ([ref, name, tag]) => {
  expect(parseRef(ref, 'pull')).toEqual({ name, tag });
});

test.for(['', '-x', 'a b', 'a?b', 'a/../../containers', 'ä', 'a%2e'])('"%s" is no image', (ref) => {
  expect(() => imagePath(ref, 'inspect')).toThrow('is not the name of an image');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMembers } from './find-members.ts';
import { FoundValues } from './found.ts';
import { MemberReader } from './member-reader.ts';

const PATHS = ['a.a', 'a.b.a', 'b'];
const name = fc.constantFrom('a', 'b');
const { value: object } = fc.letrec((tie) => ({
  value: fc.dictionary(name, fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('value')), { noNullPrototype: true }),
  leaf: fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([]), fc.constant([{}])),
}));

test('the same is found in a text and in the object that it holds', () => {
  fc.assert(
    fc.property(object, (json) => {
      const reader = new MemberReader(PATHS);
      reader.write(Buffer.from(JSON.stringify(json)));
      const values = new FoundValues(json as Record<string, unknown>);
      for (const found of PATHS) {
        expect(values.string(found)).toEqual(reader.found.string(found));
        expect(values.number(found)).toEqual(reader.found.number(found));
        expect(values.object(found)).toEqual(reader.found.object(found));
        expect(values.isEmptyArray(found)).toBe(reader.found.isEmptyArray(found));
      }
    }),
  );
});

test.each([
  ['short', ''],
  ['long', ' '.repeat(20_000)],
  ['cut off', '{"'],
])('a %s text that is there as a whole is read as one that comes in pieces', (_, more) => {
  fc.assert(
    fc.property(object, (json) => {
      const text = Buffer.from(JSON.stringify(json) + more);
      const reader = new MemberReader(PATHS);
      for (const byte of text) reader.write(Buffer.of(byte));
      const found = findMembers(text, PATHS);
      for (const path of PATHS) {
        expect(found.string(path)).toEqual(reader.found.string(path));
        expect(found.object(path)).toEqual(reader.found.object(path));
      }
    }),
    { numRuns: 30 },
  );
});

test('what stands in the prototype of an object is not found', () => {
  expect(new FoundValues({}).object('constructor')).toBeUndefined();
  expect(new FoundValues({ a: 'text' }).number('a.length')).toBeUndefined();
});

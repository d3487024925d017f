import fc from 'fast-check';
import { expect, test } from 'vitest';
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

test('what stands in the prototype of an object is not found', () => {
  expect(new FoundValues({}).object('constructor')).toBeUndefined();
  expect(new FoundValues({ a: 'text' }).number('a.length')).toBeUndefined();
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, insertMember, replaceValue } from './edit.ts';
import { MemberReader } from './member-reader.ts';
import { JsonError, scanJson } from './scan.ts';
import type { JsonNode, JsonView } from './view.ts';

const view = (text: string) => scanJson(Buffer.from(text));

function decode(json: JsonView, node: JsonNode): unknown {
  switch (json.kind(node)) {
    case 'object': {
      const entries: [string, unknown][] = [];
      json.eachMember(node, (name, value) => entries.push([name, decode(json, value)]));
      return Object.fromEntries(entries);
    }
    case 'array': {
      const items: unknown[] = [];
      json.eachItem(node, (item) => items.push(decode(json, item)));
      return items;
    }
    case 'string':
      return json.string(node);
    default:
      return JSON.parse(json.text(node));
  }
}

test('what is scanned is what JSON.parse reads, with any spacing', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
      const value: unknown = JSON.parse(text);
      const spaced = JSON.stringify(value, null, indent);
      expect(decode(view(spaced), 0)).toEqual(JSON.parse(spaced));
    }),
  );
});

test.each([
  '',
  ' ',
  '{',
  '{"a":1',
  '{"a":1,}',
  '[1,]',
  '{"a" 1}',
  '{a:1}',
  '01',
  '1.',
  '-',
  'nul',
  'NaN',
  '"a',
  '"\u0001"',
  '"\\x"',
  '"\\u12g4"',
  '{} {}',
  '\ufeff{}',
  "{'a':1}",
  '[1 2]',
  '{"a":1}}',
  '+1',
  '.5',
  '1e',
  '/**/1',
])('malformed text is refused: %j', (text) => {
  expect(() => view(text)).toThrow(JsonError);
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
});

test('text that is not UTF-8 is refused', () => {
  expect(() => scanJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(JsonError);
});

test.each([
  '{"a":1,"a":2}',
  '[{"b":{"type":1,"x":2,"\\u0074ype":3}}]',
  `{${'abcdefghia'.replace(/./g, '"$&":1,').slice(0, -1)}}`,
])('a member that is named twice is refused: %s', (text) => {
  expect(() => view(text)).toThrow('one name');
});

test('nesting has a limit, so that no text ends the process', () => {
  expect(() => view('['.repeat(100_000))).toThrow('deeper');
  expect(() => view('['.repeat(190) + ']'.repeat(190))).not.toThrow();
});

test('an edit changes its value alone, and members are added to full and empty objects', () => {
  const text = ' {"b" : [ 1.0, 1e2,"\\u00e9é"] ,\n"model":"x","o":{ }} ';
  const json = view(text);
  const edits = [
    replaceValue(json, json.member(0, 'model'), '"longer name"'),
    insertMember(json, 0, 'store', 'false'),
    insertMember(json, json.member(0, 'o'), 'include_usage', 'true'),
  ];
  expect(applyEdits(json.bytes, edits).toString()).toBe(
    ' {"store":false,"b" : [ 1.0, 1e2,"\\u00e9é"] ,\n"model":"longer name","o":{"include_usage":true }} ',
  );
  expect(applyEdits(json.bytes, [])).toBe(json.bytes);
});

test('members are read from a text in pieces of any size', () => {
  const text = JSON.stringify({
    other: { usage: 'not this', model: [{ model: 'nor this' }] },
    model: 'm "quoted" \\ \u00e9',
    long: '\\\\"\\"\\',
    text: '{"usage":1}',
    response: { id: 1, usage: { input_tokens: 12, nested: { a: [1, { b: 2 }] } }, more: [] },
    n: -12.5,
    last: null,
  });
  for (let size = 1; size < text.length + 2; size++) {
    const reader = new MemberReader(['model', 'response.usage', 'n', 'last', 'missing', 'other.x']);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
    expect(Object.fromEntries(reader.found)).toEqual({
      model: '"m \\"quoted\\" \\\\ \u00e9"',
      'response.usage': '{"input_tokens":12,"nested":{"a":[1,{"b":2}]}}',
      n: '-12.5',
      last: 'null',
    });
  }
});

test('the items of an array at the top are each a text: the last one counts', () => {
  const reader = new MemberReader(['usage']);
  reader.write(Buffer.from('[{"usage":{"n":1}} , {"x":[{"usage":5}],"usage" : {"n":2} }, {"y":1}]'));
  expect(reader.found.get('usage')).toBe('{"n":2}');
});

test('a member that is very long is left out, and what follows is still found', () => {
  const reader = new MemberReader(['a', 'usage']);
  const text = Buffer.from(JSON.stringify({ a: 'x'.repeat(200_000), usage: 7 }));
  for (let at = 0; at < text.length; at += 1000) reader.write(text.subarray(at, at + 1000));
  expect([...reader.found]).toEqual([['usage', '7']]);
});

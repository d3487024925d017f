import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { TaskConfig } from './task-config.ts';
import { DocumentError, parseYaml, readYaml } from './yaml-document.ts';

const Anything = z.record(z.string(), z.unknown());

const CONFIG = `id: leak-1
project: leak
repository: https://example.org/leak
language: c
source: /src/leak
task_description:
  issue: It reads past the end.
scripts:
  build: scripts/build.sh
  run: scripts/run.sh
  test: scripts/test.sh
files:
  patch: diffs/patch.diff
  poc: [pocs/a]
`;

const temporaryFolder = () => mkdtempDisposableSync(join(tmpdir(), 'ssebench-yaml-'));

function problems(text: string, schema: z.ZodType = Anything): readonly string[] {
  try {
    parseYaml(text, schema, 'a.yaml');
    return [];
  } catch (error) {
    if (error instanceof DocumentError) return error.lines;
    throw error;
  }
}

test('a sound document has its value and the line of each part', () => {
  const { value, lineOf } = parseYaml(CONFIG, TaskConfig, 'a.yaml');
  expect(value.files.poc).toEqual(['pocs/a']);
  expect([lineOf(['id']), lineOf(['scripts', 'run']), lineOf(['files', 'poc', 0]), lineOf(['no', 'such'])]).toEqual([
    1, 10, 14, 1,
  ]);
});

test.each([
  ['a key that comes twice', 'a: 1\nb: 2\na: 3\n', 'a.yaml:3: Map keys must be unique'],
  ['a tab that indents', 'a:\n\tb: 1\n', 'a.yaml:2: Tabs are not allowed as indentation'],
  ['a bracket that never closes', 'a: [1,\n', 'a.yaml:2: '],
  ['a tag of another program', 'a: !secret x\n', 'a.yaml:1: Unresolved tag: !secret'],
  ['two documents', 'a: 1\n---\nb: 1\n', 'a.yaml:2: '],
  ['an alias of nothing', 'a: *b\n', 'a.yaml:1: '],
  ['a key that is no text', '? [a]\n: 1\n', 'a.yaml:1: '],
])('%s is a problem at its line', (_, text, start) => {
  const found = problems(text);
  expect(found[0]?.slice(0, start.length)).toBe(start);
});

test('anchors that multiply beyond measure are refused, and quickly', () => {
  const levels = 'bcdefghij'.split('');
  const bomb = levels.map((name, i) => `${name}: &${name} [${Array(9).fill(`*${i === 0 ? 'a' : levels[i - 1]}`)}]`);
  expect(problems(`a: &a [x, x]\n${bomb.join('\n')}\n`)).toEqual([expect.stringContaining('Excessive alias count')]);
});

test.each([
  ['brackets', `a: 1\nb: ${'['.repeat(1_000_000)}`],
  ['braces', `a: 1\n${'{a: '.repeat(200_000)}`],
  ['lists', `a: 1\nb:\n${'- '.repeat(500_000)}`.replace('b:\n', '')],
])('%s that are nested without end are refused, and quickly', (_, text) => {
  const begun = performance.now();
  expect(problems(text)).toEqual(['a.yaml:2: is nested too deeply, more than 100 levels']);
  expect(performance.now() - begun).toBeLessThan(5000);
});

test('brackets in a text nest nothing', () => {
  expect(problems(`a: |\n  ${'['.repeat(1000)}\nb: "${'{'.repeat(1000)}"\nc: x${'['.repeat(1000)}\n`)).toEqual([]);
});

test('thousands of keys are read quickly', () => {
  const begun = performance.now();
  expect(problems(Array.from({ length: 10_000 }, (_, n) => `k${n}: 1\n`).join(''))).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('of many errors the first are told', () => {
  expect(problems('a: ]\n'.repeat(1000)).length).toBeLessThanOrEqual(20);
});

test('digits around one e are text, as a short commit may be; a number with a point or a sign is one', () => {
  const { value } = parseYaml('a: [12e4567, 1E5, 3e-06, 1.5e3, 7]\n', Anything, 'a.yaml');
  expect(value['a']).toEqual(['12e4567', '1E5', 3e-6, 1500, 7]);
});

test('an anchor that is used twice is fine, and its problems are told where it stands', () => {
  const schema = z.strictObject({ a: z.array(z.string()), b: z.array(z.string()) });
  expect(problems('a: &x\n  - one\nb: *x\n', schema)).toEqual([]);
  expect(problems('a: &x\n  - 1\nb: *x\n', schema)).toEqual([
    'a.yaml:2: a[0]: must be string, found number',
    'a.yaml:2: b[0]: must be string, found number',
  ]);
});

test.each([
  ['an empty document', '', 'a.yaml:1: must be object, found nothing'],
  ['a list', '- a\n', 'a.yaml:1: must be object, found array'],
  ['a text', 'hello\n', 'a.yaml:1: must be object, found string'],
])('%s is no config', (_, text, problem) => {
  expect(problems(text, TaskConfig)).toEqual([problem]);
});

test('keys that a prototype has are keys like any other', () => {
  expect(problems(`${CONFIG}__proto__: {id: x}\nconstructor: 1\n`, TaskConfig)).toEqual([
    expect.stringMatching(/^a\.yaml:15: __proto__: unknown key/),
    expect.stringMatching(/^a\.yaml:16: constructor: unknown key/),
  ]);
});

test.each([
  ['is not there', undefined, 'no such file'],
  ['is not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff]), 'is not UTF-8 text'],
  ['is larger than any that people write', Buffer.alloc(2 ** 20 + 1, ' '), 'is larger than 1 MiB'],
])('a file that %s is told by its path', (_, content, problem) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.yaml');
  if (content) writeFileSync(path, content);
  expect(() => readYaml(path, Anything)).toThrow(`${path}: ${problem}`);
});

test('a folder in the place of a file is told', () => {
  using folder = temporaryFolder();
  expect(() => readYaml(folder.path, Anything)).toThrow(`${folder.path}: is not a file`);
});

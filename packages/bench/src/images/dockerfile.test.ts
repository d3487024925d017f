import { expect, test } from 'vitest';
import { baseImages, parseDockerfile, stagesOf } from './dockerfile.ts';

const REGISTRY = { SSEBENCH_REGISTRY: 'localhost/ssebench' };

test('instructions are joined over continuation lines, without comments and empty lines between', () => {
  const text = ['# a comment', 'run apt-get update && \\', '    # why', '', '    apt-get install x', 'CMD ["a"]'].join(
    '\n',
  );
  expect(parseDockerfile(text)).toEqual([
    { keyword: 'RUN', rest: 'apt-get update &&      apt-get install x', line: 2, lastLine: 5 },
    { keyword: 'CMD', rest: '["a"]', line: 6, lastLine: 6 },
  ]);
});

test('the escape directive changes what continues a line', () => {
  const text = '# escape=`\nRUN dir C:\\\nFROM a `\n AS b';
  expect(parseDockerfile(text).map(({ keyword, line }) => [keyword, line])).toEqual([
    ['RUN', 2],
    ['FROM', 3],
  ]);
});

test('what stands in a here-document is no instruction', () => {
  const text = 'FROM a\nRUN <<-EOF cat\n\tFROM b\n\tEOF\nCOPY <<"X" <<Y /\nFROM c\nX\nFROM d\nY\nFROM e';
  expect(stagesOf(parseDockerfile(text)).map(({ image }) => image)).toEqual(['a', 'e']);
});

test('a shift operator opens no here-document', () => {
  expect(parseDockerfile('FROM a\nRUN echo $((1<<X))\nUSER x').map(({ keyword }) => keyword)).toEqual([
    'FROM',
    'RUN',
    'USER',
  ]);
});

test('a base is found through the global arguments, whose defaults build arguments replace', () => {
  const text = `
    ARG SSEBENCH_REGISTRY=ghcr.io/other
    ARG TAG="1.0.0" KIND=c
    FROM --platform=linux/amd64 \${SSEBENCH_REGISTRY}/base-generic-$KIND:\${TAG} AS final
    ARG TAG=9`;
  const base = 'localhost/ssebench/base-generic-c:1.0.0';
  expect(baseImages(text, REGISTRY)).toEqual({ final: base, all: [base] });
});

test.each([
  [`\${NONE:-debian}`, 'debian'],
  [`\${SET:-debian}`, 'value'],
  [`x\${SET:+-y}`, 'x-y'],
  [`x\${NONE:+-y}`, 'x'],
  ['x$NONE', 'x'],
])('%s is %s', (image, expected) => {
  expect(baseImages(`ARG SET=value\nARG NONE\nFROM ${image}`, {}).final).toBe(expected);
});

test('a stage that stands on an earlier one ends on what that stands on', () => {
  const text = 'FROM golang AS Build\nFROM debian AS run\nFROM scratch\nCOPY --from=build /x /x\nFROM build AS last';
  expect(baseImages(text, {})).toEqual({ final: 'golang', all: ['golang', 'debian'] });
});

import { expect, test } from 'vitest';
import { programStage, sourceFiles } from './program-stage.ts';

const WHOLE = `# syntax=docker/dockerfile:1
ARG V=1
FROM ssebench-program AS program
COPY package.json package-lock.json ./
RUN npm ci \\
  --omit=dev

FROM ssebench-agent
COPY run.ts /usr/local/lib/agent/
CMD ["sse", "node", "/usr/local/lib/agent/run.ts"]`;

const FILES = ['Dockerfile', 'agent.yaml', 'package-lock.json', 'package.json', 'run.ts', 'src/a.ts', 'src/deep/b.ts'];

function takenBy(instructions: string): string[] {
  const stage = programStage(`FROM ssebench-program AS program\n${instructions}\nFROM ssebench-agent\nCOPY . /x`);
  return stage ? sourceFiles(stage, FILES) : [];
}

test('the part that is the same for all tasks ends where the next stage begins', () => {
  const stage = programStage(WHOLE);
  expect(stage?.content.split('\n')).toEqual(WHOLE.split('\n').slice(0, 7));
  expect(stage?.sources).toEqual(['package.json', 'package-lock.json']);
});

test('the rest is built with an image in its place, on the same lines', () => {
  const replaced = programStage(WHOLE)?.replacedBy('localhost/x:k-1').split('\n') ?? [];
  expect(replaced.slice(0, 8)).toEqual([
    '# syntax=docker/dockerfile:1',
    'ARG V=1',
    'FROM localhost/x:k-1 AS program',
    '',
    '',
    '',
    '',
    'FROM ssebench-agent',
  ]);
  expect(replaced.slice(8)).toEqual(WHOLE.split('\n').slice(8));
});

test('stages before it belong to it, and a last one may be it', () => {
  const text = 'FROM debian AS one\nFROM ssebench-program AS Program\nRUN ls';
  expect(programStage(text)).toMatchObject({ content: text });
  expect(programStage(text)?.replacedBy('i')).toBe('FROM debian AS one\nFROM i AS program\n');
});

test('a base that comes from an argument is what its default says', () => {
  expect(programStage('ARG B=ssebench-program\nFROM $B AS program')).toBeDefined();
});

test.each([
  'FROM ssebench-agent',
  'FROM node:24 AS program\nFROM ssebench-agent',
  'FROM ssebench-program AS other\nFROM ssebench-agent',
])('%j has no such stage', (text) => {
  expect(programStage(text)).toBeUndefined();
});

test.each([
  ['COPY package*.json ./', ['package-lock.json', 'package.json']],
  ['COPY --chown=1:1 src/ ./run.ts /opt/agent/', ['run.ts', 'src/a.ts', 'src/deep/b.ts']],
  ['COPY ["src/deep", "/opt/agent/"]', ['src/deep/b.ts']],
  ['COPY ../src/*.ts ./', ['src/a.ts']],
  ['ADD https://example.org/x.tgz /x\nCOPY --from=other package.json ./', []],
  ['RUN --mount=type=bind,source=run.ts,target=/run.ts --mount=type=cache,target=/c ls', ['run.ts']],
  ['RUN --mount=target=/all ls', FILES],
  ['COPY . .', FILES],
])('%s takes the files that it names', (instructions, taken) => {
  expect(takenBy(instructions)).toEqual(taken);
});

test.each(['COPY $FILE ./', 'COPY [a-r]*.ts ./', 'COPY "a b" ./', 'ONBUILD COPY run.ts /', 'COPY [run.ts /'])(
  '%s may take any file: all of them count',
  (instructions) => {
    expect(takenBy(instructions)).toEqual(FILES);
  },
);

test('a pattern takes names with a dot in front, as the engine has it, and characters that are none of a pattern', () => {
  const stage = programStage('FROM ssebench-program AS program\nCOPY * ./\nCOPY a?(b).ts src/*.json ./');
  const files = ['.npmrc', 'a+(b).ts', 'src/.x.json', 'src/deep/y.json', 'sub/z'];
  expect(stage && sourceFiles(stage, files)).toEqual(files);
  const narrow = programStage('FROM ssebench-program AS program\nCOPY .n* a?(b).ts src/*.json ./');
  expect(narrow && sourceFiles(narrow, files)).toEqual(files.slice(0, 3));
});

test('what is left out of a build counts for it', () => {
  const stage = programStage('FROM ssebench-program AS program\nCOPY src ./');
  expect(stage && sourceFiles(stage, ['.dockerignore', 'src/a.ts', 'x'])).toEqual(['.dockerignore', 'src/a.ts']);
});

import { expect, test } from 'vitest';
import { DockerfileError, readAgentDockerfile, readProgramDockerfile } from './agent-dockerfile.ts';

const WORK = 'localhost/ssebench/work/x:k-0123456789ab';
const PROGRAM = 'localhost/ssebench/program-base:k-0123456789ab';
const IMAGES = { agent: WORK, program: PROGRAM };

function problemOf(text: string, read: (text: string) => unknown = (it) => readAgentDockerfile(it, IMAGES)): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DockerfileError) return `${error.line}: ${error.message}`;
    throw error;
  }
  return 'none';
}

test.each([
  ['FROM ssebench-agent', `FROM ${WORK}`],
  ['from ssebench-agent as Main', `FROM ${WORK} as Main`],
  ['FROM --platform=linux/amd64 ssebench-agent', `FROM --platform=linux/amd64 ${WORK}`],
  ['# FROM ssebench-agent\nFROM ssebench-agent', `# FROM ssebench-agent\nFROM ${WORK}`],
  [
    'FROM ssebench-agent\nCOPY --chmod=0755 --from=ssebench-agent /a /b',
    `FROM ${WORK}\nCOPY --chmod=0755 --from=${WORK} /a /b`,
  ],
  [
    'FROM ssebench-agent\nRUN --mount=type=bind,from=ssebench-agent,target=/x ls',
    `FROM ${WORK}\nRUN --mount=type=bind,from=${WORK},target=/x ls`,
  ],
])('%s names the work image', (text, expected) => {
  expect(readAgentDockerfile(text, IMAGES).content).toBe(expected);
});

test('every stage is rewritten, other images are not', () => {
  const text =
    'FROM node:24 AS build\nRUN npm ci\nFROM ssebench-agent AS first\nFROM ssebench-agent\nCOPY --from=build /a /a';
  expect(readAgentDockerfile(text, IMAGES).content).toBe(text.replaceAll('ssebench-agent', WORK));
});

test('line numbers stay when an instruction spans lines', () => {
  const text = 'FROM \\\n  # the base\n  ssebench-agent \\\n  AS x\nRUN ls';
  expect(readAgentDockerfile(text, IMAGES).content.split('\n')).toEqual([`FROM ${WORK}    AS x`, '', '', '', 'RUN ls']);
});

test('commands and files that only mention the name stay as they are', () => {
  const text = 'FROM ssebench-agent\nRUN echo --mount=from=ssebench-agent FROM ssebench-agent\nCOPY ssebench-agent /x';
  expect(readAgentDockerfile(text, IMAGES).content).toBe(text.replace('ssebench-agent', WORK));
});

test('an entry point that would not be run is refused where it stands, unless it is in a stage that is not run', () => {
  const entry = 'ENTRYPOINT ["python3"]\nCMD ["/a.py"]';
  const problem = 'ENTRYPOINT would not be run: put the whole command into CMD';
  expect(problemOf(`FROM ssebench-agent\n${entry}`)).toBe(`2: ${problem}`);
  expect(problemOf(`FROM ssebench-agent AS One\n${entry}\nFROM one\nRUN ls`)).toBe(`2: ${problem}`);
  expect(problemOf(`FROM debian AS one\n${entry}\nFROM ssebench-agent\nENTRYPOINT []\nCMD ["x"]`)).toBe('none');
});

test('a base that comes from an argument is what its default says', () => {
  expect(readAgentDockerfile('ARG BASE=ssebench-agent\nFROM $BASE', IMAGES).content).toBe(
    `ARG BASE=ssebench-agent\nFROM ${WORK}`,
  );
  expect(problemOf(`ARG A=localhost/ssebench B=tool/x\nFROM \${A}/$B`)).toMatch(/^2: the last stage is built on/);
});

test('every other image that something is taken from is named, with its line, however it is written', () => {
  const text = `ARG REPO="localhost/ssebench"
FROM --platform=linux/amd64 \${REPO}/case/starter/x AS one
FROM ssebench-agent
COPY --chmod=755 --from=localhost/ssebench/tool/x:1 /a /b
RUN --network=none --mount=target=/m,from=two,type=bind --mount="type=bind,from=three",target=/n ls
ONBUILD COPY --from=four /a /b
ADD --FROM="five" /a /b
COPY --from=one /a /b
COPY --from=0 /a /b`;
  expect(readAgentDockerfile(text, IMAGES).images).toEqual([
    { name: 'localhost/ssebench/case/starter/x', line: 2 },
    { name: 'localhost/ssebench/tool/x:1', line: 4 },
    { name: 'two', line: 5 },
    { name: 'three', line: 5 },
    { name: 'four', line: 6 },
    { name: 'five', line: 7 },
  ]);
});

test.each([
  ['FROM ssebench-agent\nCOPY --from=$X /a /b', '2: it can\'t be told which image "$X" is: name it'],
  [`ARG X=abc\nFROM \${X#a} AS y\nFROM ssebench-agent`, `2: it can't be told which image "\${X#a}" is: name it`],
  ['# syntax=evil/frontend\nFROM ssebench-agent', '1: syntax=evil/frontend: must be docker/dockerfile, or nothing'],
])('%j is refused: nobody knows what it takes', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

test('the usual frontend may be asked for', () => {
  expect(problemOf('# syntax=docker/dockerfile:1.7\nFROM ssebench-agent')).toBe('none');
});

test('a stage of that name is the stage', () => {
  const text = 'FROM ssebench-agent AS ssebench-agent\nFROM ssebench-agent AS two\nFROM two';
  expect(readAgentDockerfile(text, IMAGES).content).toBe(text.replace('ssebench-agent', WORK));
});

test.each([
  'FROM ssebench-agent\nCOPY --from=workspace /sdk /sdk',
  'FROM ssebench-agent\nRUN --mount=from=workspace,target=/x ls',
])('%s is refused with its line', (text) => {
  expect(problemOf(text)).toBe(
    '2: there is no build context "workspace": the command sse (sse help lists its commands), which every agent has on its path, takes the place of the Python package sse; put what else the agent needs into its own folder',
  );
});

test('what is taken from there is named by the command that takes its place', () => {
  expect(problemOf('FROM ssebench-agent\nCOPY --from=workspace sdk/python/src/sse/dialog.py /x/')).toContain(
    'the command sse dialog, which',
  );
});

test('the part that makes the program stands on our base, and on no task’s image', () => {
  const text = 'FROM debian AS tools\nFROM ssebench-program AS program\nCOPY --from=tools /a /opt/agent/a';
  const read = (it: string) => readProgramDockerfile(it, PROGRAM);
  expect(read(text)).toEqual({
    content: text.replace('ssebench-program', PROGRAM),
    images: [{ name: 'debian', line: 1 }],
  });
  expect(problemOf('FROM ssebench-program AS program\nCOPY --from=ssebench-agent /a /b', read)).toMatch(
    /^2: the stage "program" is built once for all tasks/,
  );
});

test('a stage may be called workspace', () => {
  expect(problemOf('FROM debian AS workspace\nFROM ssebench-agent\nCOPY --from=workspace /a /a')).toBe('none');
});

test('a last stage that stands on another image is refused: it would have neither source nor users', () => {
  const text = 'FROM ssebench-agent AS x\nFROM debian AS y\nFROM y';
  expect(problemOf(text)).toBe('3: the last stage is built on "debian"; it must be FROM ssebench-agent');
});

test('a Dockerfile without FROM is refused', () => {
  expect(problemOf('RUN ls')).toBe('1: has no FROM line; it must start FROM ssebench-agent');
});

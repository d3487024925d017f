import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { datasetFolder, type Files, soundTask } from '../testing/dataset-folder.ts';
import { sentenceOf } from './finding.ts';
import { validateTask } from './validate.ts';

const SOUND = soundTask();
const file = (path: string): string => SOUND[`leak-1/${path}`] ?? '';

function found(files: Files, prepare: (dir: string) => void = () => undefined): string[] {
  using folder = datasetFolder(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`leak-1/${path}`, text])),
  );
  prepare(join(folder.dir, 'leak-1'));
  return validateTask(join(folder.dir, 'leak-1')).findings.map(sentenceOf);
}

const patch = (from: string | RegExp, to: string) => ({
  'sse/diffs/patch.diff': file('sse/diffs/patch.diff').replace(from, to),
});
const config = (from: string | RegExp, to: string) => ({
  'sse/config.yaml': file('sse/config.yaml').replace(from, to),
});
const docker = (from: string | RegExp, to: string) => ({ Dockerfile: file('Dockerfile').replace(from, to) });
const CLONE = 'RUN git clone https://example.org/leak /src/leak';
const COMMIT = '9f58baa7a613f89dfdc764c39e47fd3a15606153';

test.each<[string, Files, string]>([
  [
    'no check',
    { ...config(/scripts:[\s\S]*/, 'scripts: {}\nfiles:\n  patch: diffs/patch.diff\n') },
    'sse/config.yaml:9: warning: scripts: found no check, must have one of build, run with files.poc, and test [no-checks]',
  ],
  [
    'a script for no input',
    config(/ {2}poc:\n.*\n/, ''),
    'sse/config.yaml:11: warning: scripts.run: found "scripts/run.sh", but files.poc names nothing to run it with [unused-file]',
  ],
  [
    'no fix',
    config(/ {2}patch:.*\n/, ''),
    'sse/config.yaml:13: warning: files: files.patch is not set, must name the upstream fix [no-patch]',
  ],
  [
    'a fix that is the bug',
    config(/$/, `trigger_commit: abc\npatch_commit: def, abc\n`),
    'sse/config.yaml:19: warning: patch_commit: found "abc", which is trigger_commit, too; it must be the fix [same-commit]',
  ],
  [
    'a patch that is none',
    { 'sse/diffs/patch.diff': 'hello\n' },
    'sse/diffs/patch.diff:1: warning: files.patch: holds no change; must be a git diff [diff-syntax]',
  ],
  [
    'a patch without prefixes',
    patch(/[ab]\/leak\.c/g, 'leak.c'),
    'sse/diffs/patch.diff:1: warning: files.patch: found "leak.c"; names must have the prefixes a/ and b/ [diff-syntax]',
  ],
  [
    'a hunk that was cut',
    patch(/ \}\n$/, ''),
    'sse/diffs/patch.diff:8: warning: files.patch: the diff ends within a hunk; 1 old and 1 new lines are missing [diff-syntax]',
  ],
  [
    'a patch of another version',
    patch(' int leak(int n)', ' int leak(long n)'),
    'sse/diffs/patch.diff:4: warning: hunk 1 of 1 does not apply to leak.c [diff-apply]',
  ],
  [
    'a patch of a file that is not there',
    patch(/leak\.c/g, 'other.c'),
    'sse/diffs/patch.diff:1: warning: other.c is not in the source [diff-apply]',
  ],
  [
    'hidden tests that do not apply',
    { 'src/tests/test_leak.c': 'x\n' },
    'sse/diffs/test.diff:1: warning: tests/test_leak.c is in the source already [diff-apply]',
  ],
  [
    'a patch of an ignored file',
    { 'src/.gitignore': '*.c\n' },
    'sse/diffs/patch.diff:1: warning: changes leak.c, which .gitignore tells git to ignore [patch-ignored]',
  ],
  [
    'a patch of a build file',
    { ...patch(/leak\.c/g, 'Makefile'), 'src/Makefile': file('src/leak.c') },
    'sse/diffs/patch.diff:1: warning: changes Makefile, which is a test or decides how tests run; the fix alone belongs here [patch-has-tests]',
  ],
  [
    'hidden tests with the fix',
    {
      'sse/diffs/test.diff':
        'diff --git a/leak.c b/leak.c\n--- a/leak.c\n+++ b/leak.c\n@@ -1 +1,2 @@\n+// tested\n int leak(int n)\n',
    },
    'sse/diffs/test.diff:1: warning: changes leak.c, which the reference patch changes, too [tests-have-source]',
  ],
  [
    'no shebang',
    { 'sse/test.sh': 'make check\n', ...docker('', '') },
    'sse/test.sh:1: warning: scripts.test: begins with "make check", must begin with #! and a program\'s path [script-no-shebang]',
  ],
  [
    'a shebang with a carriage return',
    { 'sse/test.sh': '#!/bin/sh\r\nmake check\r\n' },
    'sse/test.sh:1: warning: scripts.test: its first line ends with a carriage return, so its program is not found [script-no-shebang]',
  ],
  [
    'a script that names the source',
    { 'sse/test.sh': '#!/bin/sh\n\ncd /src/leak && make check\n' },
    'sse/test.sh:3: warning: names the project as /src/leak; it must use the working directory [absolute-source]',
  ],
  [
    'a proof of concept that names the source',
    { 'sse/pocs/go.mod': 'replace x => /src/leak\n' },
    'sse/pocs/go.mod:1: warning: names the project as /src/leak; it must use the working directory [absolute-source]',
  ],
  [
    'a Dockerfile that makes such a proof of concept',
    docker(/$/, 'RUN cd /ssebench/pocs && go mod edit -replace x=/src/leak\n'),
    'Dockerfile:12: warning: writes /src/leak into what lies at /ssebench; it must use the working directory [absolute-source]',
  ],
  [
    'a report with the fix',
    { 'sse/reports/issue.md': 'Try this:\n\n    + return n < count_of_values ? values[n] : 0;\n' },
    'sse/reports/issue.md:3: warning: holds a line that the fix adds (sse/diffs/patch.diff:8); the agent must not read it [report-has-fix]',
  ],
  [
    'an issue with the fix',
    config('task_description:\n', 'task_description:\n  issue: |\n    return n < count_of_values ? values[n] : 0;\n'),
    'sse/config.yaml:7: warning: task_description.issue: holds a line that the fix adds (sse/diffs/patch.diff:8); the agent must not read it [report-has-fix]',
  ],
  [
    'a clone of a branch',
    docker('COPY src /src/leak', `${CLONE} && rm -rf .git`),
    'Dockerfile:3: warning: clones a repository, but checks out no commit of 40 digits [commit-not-pinned]',
  ],
  [
    'a clone with its history',
    docker('COPY src /src/leak', `${CLONE} && git checkout ${COMMIT}`),
    'Dockerfile:3: warning: clones a repository, but does not remove its .git [history-in-image]',
  ],
  [
    'a control patch of no kind',
    { 'sse/controls/other.diff': file('sse/diffs/patch.diff') },
    'sse/controls/other.diff: found "other.diff", must be KIND.diff or KIND-WORDS.diff, of the kinds revert, mask, alternative [evidence]',
  ],
  [
    'a control patch that does not apply',
    { 'sse/controls/mask-signal.diff': file('sse/diffs/patch.diff').replace('values[n];', 'value;') },
    'sse/controls/mask-signal.diff:4: warning: hunk 1 of 1 does not apply to leak.c [diff-apply]',
  ],
  [
    'an expectation of no proof of concept',
    { 'sse/expect.yaml': 'pocs:\n  pocs/b: ERROR\n' },
    'sse/expect.yaml:2: pocs.pocs/b: found "pocs/b", which is not in files.poc [evidence]',
  ],
  [
    'a form of test output that is not known',
    { 'sse/expect.yaml': 'tests: junit\n' },
    'sse/expect.yaml:1: tests: must be one of go, libtest, tap, or a mapping with a pattern, found "junit" [evidence]',
  ],
  [
    'a pattern that is none',
    { 'sse/expect.yaml': 'pocs:\n  pocs/a: "["\n' },
    'sse/expect.yaml:2: pocs.pocs/a: must be a regular expression of JavaScript, found "[" [evidence]',
  ],
])('%s is told with its place', (_, files, sentence) => {
  expect(found(files)).toEqual([sentence]);
});

test('a sound clone is fine, and its diffs are tried against nothing', () => {
  const clone = `${CLONE} && git checkout ${COMMIT} && rm -rf .git`;
  expect(found({ ...docker('COPY src /src/leak', clone), ...patch(/leak\.c/g, 'other.c') })).toEqual([]);
});

test.each<[string, string, number]>([
  ['nothing', '', 1],
  ['a mode for another file', 'RUN chmod +x /ssebench/scripts/run.sh', 1],
  ['a pattern', 'RUN true && chmod 0755 /ssebench/scripts/*.sh', 0],
  ['a whole folder', 'RUN chmod -R a+rx /ssebench', 0],
  ['a list of words', 'RUN ["chmod", "+x", "/ssebench/scripts/test.sh"]', 0],
  ['a relative path', 'WORKDIR /ssebench/scripts\nRUN chmod +x test.sh', 0],
  ['a copy with a mode', 'COPY --chmod=755 sse/test.sh /ssebench/scripts/test.sh', 0],
])('a script is executable in the image by its own mode, or by the Dockerfile: %s', (_, more, count) => {
  const without = docker('RUN chmod +x /ssebench/scripts/*.sh', more);
  const warnings = found(without, (dir) => chmodSync(join(dir, 'sse/test.sh'), 0o644));
  expect(warnings).toHaveLength(count);
  if (count > 0)
    expect(warnings[0]).toMatch(
      /^sse\/test\.sh: warning: scripts\.test: is not executable, .* \[script-not-executable\]$/,
    );
  expect(found(without)).toEqual([]);
});

test('a longer path that only begins like the source is another path', () => {
  expect(found({ 'sse/test.sh': '#!/bin/sh\nls /src/leak-data /usr/src/leak /src/leakage\nmake check\n' })).toEqual([]);
});

test('a report may hold lines that the project had before, and short ones', () => {
  expect(found({ 'sse/reports/issue.md': 'int leak(int n)\n{\n\treturn values[n];\n}\n' })).toEqual([]);
});

test('a task as other datasets have it is valid: a clone, a pinned toolchain, scripts made executable; its one slip is a warning', () => {
  const dockerfile = `ARG SSEBENCH_REGISTRY=ghcr.io/owner/ssebench
FROM \${SSEBENCH_REGISTRY}/base-generic-go:1.0.0

WORKDIR /src/leak

ENV GOPATH="/go"
ENV PATH="$GOPATH/bin:/usr/local/go/bin:$PATH"

RUN git clone https://example.org/leak.git /src/leak && \\
    cd /src/leak && \\
    git checkout ${COMMIT} && \\
    git submodule update --init --recursive && \\
    rm -rf .git && git init && echo "/vendor/" >> .gitignore && git add --all && git commit -m "buggy commit" && \\
    go mod download && \\
    go mod vendor

COPY sse/config.yaml /ssebench/config.yaml
COPY ["sse/build.sh", "/ssebench/scripts/build.sh"]
COPY sse/r*.sh sse/test.sh /ssebench/scripts/
COPY sse/diffs /ssebench/diffs
COPY sse/pocs /ssebench/pocs
COPY --chown=root:root sse/reports /ssebench/reports

RUN cd /ssebench/pocs && \\
    go mod init poc-leak && \\
    go mod edit -replace example.org/leak=/src/leak && \\
    go mod tidy

RUN chmod +x /ssebench/scripts/*.sh
`;
  const prepare = (dir: string) =>
    ['build', 'run', 'test'].map((name) => chmodSync(join(dir, `sse/${name}.sh`), 0o644));
  expect(found({ Dockerfile: dockerfile, ...config('language: c', 'language: go') }, prepare)).toEqual([
    'Dockerfile:24: warning: writes /src/leak into what lies at /ssebench; it must use the working directory [absolute-source]',
  ]);
});

const BASE = 'FROM $SSEBENCH_REGISTRY/base-generic-c';

test.each<[string, string]>([
  [
    'a stage of the same file',
    `${BASE}:1 AS base\nCOPY src /src/leak\nFROM debian AS other\nCOPY --from=base /x /y\nFROM base`,
  ],
  ['a global argument', `ARG TAG="1.0.0"\n${BASE}:$TAG\nCOPY src /src/leak`],
  ['a digest', `${BASE}@sha256:${'a'.repeat(64)}\nCOPY src /src/leak`],
  ['variables of the stage', `${BASE}:1\nARG NAME=leak\nENV ROOT=/src\nWORKDIR $ROOT\nCOPY src ./$NAME`],
])('the image is followed through %s', (_, from) => {
  const start = { Dockerfile: file('Dockerfile').replace(/^FROM.*\nCOPY src.*/m, () => from) };
  expect(found(start)).toEqual([]);
  // The source is still found there.
  expect(found({ ...start, ...patch(' int leak(int n)', ' int leak(long n)') })).toEqual([
    expect.stringContaining('hunk 1 of 1 does not apply to leak.c'),
  ]);
});

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { added } from './support/added-file.ts';
import { Workspace } from './support/workspace.ts';

const FIX = 'The file that was missing is here now, whole and sound.';

/** Its checks look at which files the tree has, so that controls of every kind are quick to write. */
const TASK: Record<string, string> = {
  Dockerfile: `ARG SSEBENCH_REGISTRY=localhost/ssebench
FROM \${SSEBENCH_REGISTRY}/base-generic-c:1.0.0
WORKDIR /src/files
RUN echo "Files." > README.md && echo "A feature." > feature && git init -q && git add --all && \\
    git -c user.name=ssebench -c user.email=ssebench@localhost commit -q -m "buggy commit"
COPY sse /ssebench
RUN chmod +x /ssebench/scripts/*.sh && \\
    [ ! -e /ssebench/controls ] && [ ! -e /ssebench/expect.yaml ] && [ ! -e /ssebench/tests.json ]
`,
  'sse/config.yaml': `id: files-c
project: files
repository: https://github.com/ssebench/files
language: c
source: /src/files
task_description:
  issue: A file is missing.
scripts:
  build: scripts/build.sh
  run: scripts/run.sh
  test: scripts/test.sh
files:
  patch: diffs/patch.diff
  poc:
  - pocs/poc.txt
  future_test: diffs/test.diff
originality: crafted
`,
  'sse/scripts/build.sh': '#!/bin/sh\nexit 0\n',
  'sse/scripts/run.sh': '#!/bin/sh\n[ -f fixed ] || [ -f repaired ] || { echo "the file is missing"; exit 1; }\n',
  'sse/scripts/test.sh': `#!/bin/sh
[ -f feature ] && echo "ok 1 - feature" || exit 1
[ ! -f hidden ] || [ ! -f mask ] || exit 1
[ ! -f hidden ] || { [ -f fixed ] || [ -f repaired ] && echo "ok 2 - hidden"; }
`,
  'sse/pocs/poc.txt': 'poc\n',
  'sse/diffs/patch.diff': added('fixed', FIX),
  'sse/diffs/test.diff': added('hidden'),
  'sse/controls/alternative.diff': added('repaired'),
  'sse/controls/mask-flag.diff': `${added('fixed')}${added('mask')}`,
  'sse/controls/revert.diff': `${added('fixed')}diff --git a/feature b/feature
deleted file mode 100644
--- a/feature
+++ /dev/null
@@ -1 +0,0 @@
-A feature.
`,
  'sse/expect.yaml': 'pocs:\n  pocs/poc.txt: ^the file is missing$\ntests: tap\n',
};

let workspace: Workspace;
let dir: string;

beforeAll(async () => {
  workspace = await Workspace.create();
  dir = join(workspace.path, 'set/files-c');
  for (const [path, content] of Object.entries(TASK)) await put(path, content);
  await writeFile(join(dir, '../dataset.yaml'), 'version: pliable-v1\n');
});

afterAll(() => workspace[Symbol.asyncDispose]());

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), content);
  if (path.endsWith('.sh')) await chmod(join(dir, path), 0o755);
}

function verify(...options: string[]) {
  return workspace.run('dataset', 'verify', '--dir', join(workspace.path, 'set'), '-o', 'proof', ...options);
}

async function proof(file: string): Promise<string> {
  return readFile(join(workspace.path, 'proof', file), 'utf8');
}

test('a sound task: every control ends as it must, its tests are recorded, and nothing is done twice', async () => {
  const first = await verify('--record');
  expect(first).toMatchObject({ status: 0 });
  expect(first.stdout).toBe('1 of 1 tasks grade as expected: proof/summary.md\n');
  expect(JSON.parse(await proof('tasks/files-c.json'))).toMatchObject({
    ok: true,
    runs: {
      reference: { cells: { build: 'ok', poc: 'ok', function_test: 'ok', intent_test: 'ok' }, failures: [] },
      dummy: { cells: { build: 'ok', poc: 'ok', function_test: 'ok', intent_test: 'ok' }, failures: [] },
      'mask-flag': { result: { status: 'failed', intent_test_success: false } },
      revert: { result: { status: 'failed', func_test_success: false } },
      alternative: { result: { status: 'passed' } },
    },
    warnings: [],
  });
  expect(await proof('summary.md')).toContain('| alternative ok, mask-flag ok, revert ok |');
  expect(await proof('logs/files-c.revert.log')).toContain('functional tests failed');
  expect(JSON.parse(await readFile(join(dir, 'sse/tests.json'), 'utf8'))).toEqual({
    function_test: ['feature'],
    intent_test: ['feature', 'hidden'],
  });

  const runs = await proof('runs.jsonl');
  expect(await verify()).toMatchObject({ status: 0 });
  expect(await proof('runs.jsonl')).toBe(runs);
});

test('a case image that was built anew is verified with --anew, and then is the one that counts', async () => {
  const imageOf = async () => JSON.parse(await proof('tasks/files-c.json')).runs.reference.image;
  const before = await imageOf();
  const ends = await workspace.run('build-case', '--benchmarks', join(workspace.path, 'set'), '--force');
  expect(ends.status, ends.stderr).toBe(0);
  await verify();
  expect(await imageOf()).toBe(before);
  // However runs are made usually, what is verified is built from its folder.
  const usually = workspace.withVariables({ SSEBENCH_PREBUILT: '1' });
  const where = ['--dir', join(workspace.path, 'set'), '-o', 'proof'];
  const { status, stderr } = await usually.run('dataset', 'verify', ...where, '--anew');
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/^files-c: reference\nfiles-c: dummy\n/);
  expect(await imageOf()).not.toBe(before);
});

test('the fix in an image is found wherever it lies, with the layer', async () => {
  const leaky = TASK['Dockerfile']?.replace('COPY sse', `RUN echo "${FIX}" | gzip > /opt/notes.gz\nCOPY sse`);
  await put('Dockerfile', leaky ?? '');
  const end = await verify();
  expect(end.status).toBe(1);
  expect(end.stderr).toMatch(
    /files-c: the work image holds the fix of fixed: \/opt\/notes\.gz, 1 of 1 passages, layer \d+ of \d+: .*notes\.gz/,
  );
  expect(end.stderr).toContain('files-c: the case image holds the fix of fixed: /opt/notes.gz');
  await put('Dockerfile', TASK['Dockerfile'] ?? '');
});

test('what is not as it must be is said, control by control', async () => {
  await put('sse/controls/revert.diff', added('fixed'));
  await put('sse/expect.yaml', 'pocs:\n  pocs/poc.txt: stack-overflow\ntests: tap\n');
  await put('sse/scripts/test.sh', '#!/bin/sh\n[ -f feature ] && echo "ok 1 - feature"\n');
  const end = await verify();
  expect(end.status).toBe(1);
  expect(end.stderr).toContain(
    'files-c: revert must fail functional or hidden tests: both passed, so the tests do not see that the feature is gone\n',
  );
  expect(end.stderr).toContain(
    'files-c: dummy: pocs/poc.txt failed for another reason than the bug: its output has no "stack-overflow"\n',
  );
  expect(end.stderr).toContain('files-c: reference: recorded tests did not run and pass in intent_test: hidden\n');
  expect(end.stderr).toContain('files-c: dummy: the hidden tests pass without the fix\n');
  expect(end.stdout).toBe('0 of 1 tasks grade as expected: proof/summary.md\n');
});

test('bad input is refused before anything runs', async () => {
  await put('sse/controls/other.diff', added('fixed'));
  await put('sse/expect.yaml', 'pocs:\n  pocs/poc.txt: "("\n');
  const end = await verify();
  expect(end.status).toBe(1);
  expect(end.stderr).toContain('sse/controls/other.diff: found "other.diff", must be KIND.diff');
  expect(end.stderr).toContain('sse/expect.yaml:2: pocs.pocs/poc.txt: must be a regular expression');
  expect((await verify('nosuch')).stderr).toContain('unknown task "nosuch"');
});

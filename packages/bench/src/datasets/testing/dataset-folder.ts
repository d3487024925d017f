import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Text, or bytes; null takes the file away. A text that begins with `#!` is executable, one that begins with `->` a link. */
export type Files = Readonly<Record<string, string | Buffer | null>>;

/** A dataset in a temporary folder. */
export interface DatasetFolder extends Disposable {
  dir: string;
  write(files: Files): void;
}

const PATCH = `diff --git a/leak.c b/leak.c
--- a/leak.c
+++ b/leak.c
@@ -1,4 +1,4 @@
 int leak(int n)
 {
-\treturn values[n];
+\treturn n < count_of_values ? values[n] : 0;
 }
`;

const HIDDEN = `diff --git a/tests/test_leak.c b/tests/test_leak.c
new file mode 100644
--- /dev/null
+++ b/tests/test_leak.c
@@ -0,0 +1 @@
+int main(void) { return leak(9); }
`;

/** A task that no rule has anything to say about. */
export function soundTask(id = 'leak-1'): Record<string, string> {
  const files = {
    Dockerfile: `ARG SSEBENCH_REGISTRY=localhost/ssebench
FROM \${SSEBENCH_REGISTRY}/base-generic-c:1.0.0
COPY src /src/leak
WORKDIR /src/leak
RUN git init -q && git add --all && git commit -q -m "buggy commit"
COPY sse/config.yaml /ssebench/config.yaml
COPY sse/build.sh sse/run.sh sse/test.sh /ssebench/scripts/
COPY sse/diffs /ssebench/diffs
COPY sse/pocs /ssebench/pocs
COPY sse/reports /ssebench/reports
RUN chmod +x /ssebench/scripts/*.sh
`,
    'src/leak.c': 'int leak(int n)\n{\n\treturn values[n];\n}\n',
    'src/.gitignore': '/build/\n',
    'sse/config.yaml': `id: ${id}
project: leak
repository: https://example.org/leak
language: c
source: /src/leak
task_description:
  crash_report:
  - reports/issue.md
scripts:
  build: scripts/build.sh
  run: scripts/run.sh
  test: scripts/test.sh
files:
  patch: diffs/patch.diff
  poc:
  - pocs/a
  future_test: diffs/test.diff
`,
    'sse/build.sh': '#!/bin/sh\nmake\n',
    'sse/run.sh': '#!/bin/sh\nbuild/leak "$1"\n',
    'sse/test.sh': '#!/bin/sh\nmake check\n',
    'sse/diffs/patch.diff': PATCH,
    'sse/diffs/test.diff': HIDDEN,
    'sse/pocs/a': 'input\n',
    'sse/reports/issue.md': 'It reads past the end.\n',
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${id}/${path}`, text]));
}

/** A dataset with `soundTask()` and these changes. */
export function datasetFolder(files: Files = {}): DatasetFolder {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ssebench-dataset-')));
  const folder: DatasetFolder = {
    dir,
    write: (more) => {
      for (const [path, content] of Object.entries(more)) writeOne(join(dir, path), content);
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
  folder.write({ 'dataset.yaml': 'version: test-v1\n', ...soundTask(), ...files });
  return folder;
}

function writeOne(path: string, content: string | Buffer | null): void {
  rmSync(path, { recursive: true, force: true });
  if (content === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === 'string' && content.startsWith('->')) {
    symlinkSync(content.slice(2), path);
    return;
  }
  writeFileSync(path, content);
  chmodSync(path, content.toString().startsWith('#!') ? 0o755 : 0o644);
}

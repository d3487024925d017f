import type { TaskConfig } from '@ssebench/contracts/task-config';

/** What a new task is made of. What is not known yet is left to its author, with a mark. */
export interface NewTask {
  id: string;
  language: TaskConfig['language'];
  project: string;
  repository: string;
  /** The vulnerable commit, and the one that fixes it. */
  commit?: string | undefined;
  fix?: string | undefined;
  type?: string | undefined;
  report?: string | undefined;
}

/** A file of the folder; scripts are executable. */
export type NewFiles = Readonly<Record<string, string>>;

interface Language {
  /** After the tree is committed: fetch what builds and tests need. */
  fetch: string;
  /** What keeps builds from the network. */
  environment: string;
  /** What git must not see. */
  ignored: string;
  build: string;
  run: string;
  test: string;
  poc: string;
}

const RUN_HEAD = `#!/bin/sh
# Called with one file of sse/pocs. Exits 0 when the bug does not show, 1 when it does.
# FILL-IN: run what was built on the file $1, such as`;

const LANGUAGES: Readonly<Record<NewTask['language'], Language>> = {
  c: {
    fetch: '',
    environment: '',
    ignored: '/build/',
    build: `#!/bin/sh
set -e
# FILL-IN: build the project with AddressSanitizer, such as
make -j2 CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address"
`,
    run: `${RUN_HEAD}
output=$(timeout 20 build/program "$1" 2>&1)
status=$?
printf '%s\\n' "$output"
case $output in
*"ERROR: AddressSanitizer"*) exit 1 ;;
esac
[ "$status" -lt 124 ]
`,
    test: `#!/bin/sh
set -e
/ssebench/scripts/build.sh
# FILL-IN: run the project's tests, such as
make check CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address"
`,
    poc: 'poc',
  },
  go: {
    fetch: ' && \\\n    go mod vendor',
    environment: 'ENV GOFLAGS="-mod=vendor -buildvcs=false"\nENV GOPROXY=off\n',
    ignored: '/build/\\n/vendor/',
    build: `#!/bin/sh
set -e
# FILL-IN: build the command that run.sh starts, such as
go build -o build/ ./cmd/program
`,
    run: `${RUN_HEAD}
output=$(timeout 20 build/program "$1" 2>&1)
status=$?
printf '%s\\n' "$output"
case $output in
*"panic: "* | *"fatal error: "*) exit 1 ;;
esac
[ "$status" -lt 124 ]
`,
    test: `#!/bin/sh
set -e
/ssebench/scripts/build.sh
# FILL-IN: run the project's tests, such as
go test ./...
`,
    poc: 'poc',
  },
  rust: {
    fetch: ' && \\\n    cargo fetch --locked',
    environment: 'ENV CARGO_NET_OFFLINE=true\n',
    ignored: '/target/',
    build: `#!/bin/sh
set -e
# FILL-IN: build what run.sh starts, such as
cargo build --offline --locked
`,
    run: `${RUN_HEAD}
output=$(timeout 20 target/debug/program "$1" 2>&1)
status=$?
printf '%s\\n' "$output"
case $output in
*"panicked at"*) exit 1 ;;
esac
[ "$status" -ne 101 ] && [ "$status" -lt 124 ]
`,
    test: `#!/bin/sh
set -e
/ssebench/scripts/build.sh
# FILL-IN: run the project's tests, such as
cargo test --offline --locked
`,
    poc: 'poc',
  },
};

/** The files of a new task folder, by path. It is valid once every mark is filled in. */
export function newTaskFiles(task: NewTask): NewFiles {
  const language = LANGUAGES[task.language];
  return {
    Dockerfile: dockerfile(task, language),
    'sse/config.yaml': config(task, language),
    'sse/build.sh': language.build,
    'sse/run.sh': language.run,
    'sse/test.sh': language.test,
    [`sse/pocs/${language.poc}`]:
      'FILL-IN: an input that shows the bug, from the report or your own; its name is free\n',
    'sse/diffs/patch.diff': 'FILL-IN: the upstream fix without its tests, made with git diff\n',
    'sse/diffs/test.diff': 'FILL-IN: the tests that fail without the fix, made with git diff\n',
    'sse/reports/issue.md': 'FILL-IN: what the agent is told of the bug, without anything of the fix\n',
  };
}

/** The folder of the project in the image. */
function sourceOf({ project }: NewTask): string {
  return `/src/${project.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')}`;
}

function dockerfile(task: NewTask, { fetch, environment, ignored }: Language): string {
  const commit = task.commit ?? '"FILL-IN: the vulnerable commit, 40 hexadecimal digits"';
  return `ARG SSEBENCH_REGISTRY=localhost/ssebench
FROM \${SSEBENCH_REGISTRY}/base-generic-${task.language}:1.0.0

WORKDIR ${sourceOf(task)}

# The vulnerable commit, without the history that has the fix. The scripts run without a network: fetch here what they need.
RUN git clone --quiet ${task.repository} . && \\
    git checkout --quiet ${commit} && \\
    rm -rf .git && \\
    printf '${ignored}\\n' >> .gitignore && \\
    git init -q && git add --all && \\
    git -c user.name=ssebench -c user.email=ssebench@localhost commit -q -m "buggy commit"${fetch}
${environment === '' ? '' : `\n${environment}`}
COPY sse/config.yaml /ssebench/config.yaml
COPY sse/build.sh sse/run.sh sse/test.sh /ssebench/scripts/
COPY sse/diffs /ssebench/diffs
COPY sse/pocs /ssebench/pocs
COPY sse/reports /ssebench/reports

RUN chmod +x /ssebench/scripts/*.sh
`;
}

function config(task: NewTask, { poc }: Language): string {
  const { id, project, repository, language, commit, fix, type, report } = task;
  const text = (value: string | undefined, mark: string) => JSON.stringify(value ?? `FILL-IN: ${mark}`);
  return `id: ${JSON.stringify(id)}
project: ${JSON.stringify(project)}
repository: ${JSON.stringify(repository)}
language: ${language}
source: ${sourceOf(task)}
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
  - pocs/${poc}
  future_test: diffs/test.diff
type: ${text(type, 'the kind of bug, such as Heap buffer overflow')}
trigger_commit: ${text(commit, 'the vulnerable commit')}
patch_commit: ${text(fix, 'the commit that fixes it')}
reference:
- ${text(report, 'the address of the advisory or issue')}
# FILL-IN: public when the proofs of concept come from the report, crafted when you wrote them
originality: public
`;
}

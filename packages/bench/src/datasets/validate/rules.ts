/** What a rule is about, and what an author does about it. `error`: the task can't be used; `warning`: it will mislead. */
interface Rule {
  severity: 'error' | 'warning';
  /** What is wrong, for the list of rules. */
  meaning: string;
  remedy: string;
}

const error = (meaning: string, remedy: string): Rule => ({ severity: 'error', meaning, remedy });
const warning = (meaning: string, remedy: string): Rule => ({ severity: 'warning', meaning, remedy });

/**
 * Every rule of `ssebench dataset validate`. Sources: spec/host §4 for the errors, seeds/add-a-task for what the warnings ask.
 * `docs/reference/dataset-rules.md` is made of this table.
 */
export const RULES = {
  'dataset-info': error(
    '`dataset.yaml` is missing, no YAML, or holds something else than `version`',
    'Write `version: <name>-v1` into `dataset.yaml`: lower-case letters and digits separated by `.`, `_` or `-`.',
  ),
  'no-tasks': error('the dataset has no task folder', 'Make one: `ssebench task new`. Hidden folders are no tasks.'),
  'same-image': error(
    'two folders have the same name but for upper and lower case, so their images would have one name',
    'Rename one of them.',
  ),
  unreadable: error('a file can not be read', 'Give yourself the right to read it.'),
  'special-file': error(
    'something in the folder is neither a file, a folder nor a link',
    'Remove it: sockets, pipes and devices can not be shipped.',
  ),
  'link-out': error(
    'a link leads out of the task folder',
    'Put the file itself there: what a link leads to outside is not shipped, and would be another file elsewhere.',
  ),
  'file-name': error('a file name is not UTF-8', 'Rename it, or make the file in the Dockerfile.'),
  'task-id': error(
    'the name of the folder is no task ID',
    'Letters and digits separated by `.`, `_` or `-`, at most 128 of them.',
  ),
  config: error(
    '`sse/config.yaml` is missing, no YAML, or against the schema',
    'The message says which key, what was found and what is allowed; `datasets/schema/task.schema.json` has it all.',
  ),
  'id-differs': error('`id` is not the name of the folder', 'Set `id` to the name of the folder.'),
  dockerfile: error(
    'the `Dockerfile` is missing, has no `FROM`, or a `FROM`, `COPY` or `ADD` that can not be read',
    'The message says which line.',
  ),
  dockerignore: error('a line of `.dockerignore` is no pattern', 'Correct it: a `[` needs its `]`.'),
  'base-image': error(
    `the last stage does not start from an image under \`\${SSEBENCH_REGISTRY}/\``,
    `End on \`FROM \${SSEBENCH_REGISTRY}/base-generic-<language>:1.0.0\`.`,
  ),
  'registry-arg': error(
    '`SSEBENCH_REGISTRY` is used without `ARG SSEBENCH_REGISTRY` before the first `FROM`',
    'Begin the Dockerfile with `ARG SSEBENCH_REGISTRY=localhost/ssebench`.',
  ),
  'base-pinned': error(
    'the base image has no version: no tag, `latest`, or a variable without a value',
    'Name a version such as `:1.0.0`, or a digest.',
  ),
  'copy-source': error(
    'the Dockerfile copies what is not in the task folder',
    'Correct the path, or add the file. Paths are relative to the task folder and do not leave it.',
  ),
  'config-in-image': error(
    'what ends up at `/ssebench/config.yaml` is not `sse/config.yaml`',
    'Add `COPY sse/config.yaml /ssebench/config.yaml`.',
  ),
  'path-outside': error('a path of the config leaves `/ssebench`', 'Write it relative to `/ssebench`, without `..`.'),
  'path-missing': error(
    'the Dockerfile puts no file of the task folder at a path that the config names',
    'Add the file, a `COPY` that brings it there, or correct the path.',
  ),
  evidence: error(
    'something that proves the task is not as it must be: `sse/controls/`, `sse/expect.yaml`, `sse/tests.json`',
    'The message says what is allowed; docs/datasets.md has what these files are for.',
  ),
  'fill-in': error(
    'a part that `ssebench task new` left to you is still to be written',
    'Write it, and remove the mark.',
  ),
  'base-language': warning(
    "the base image is not the one of the task's language",
    'Set `language`, or end on the base image of that language.',
  ),
  'commit-not-pinned': warning(
    'the Dockerfile clones a repository without checking out a full commit',
    'Add `git checkout <40 hexadecimal digits>`: a branch or a tag can move.',
  ),
  'history-in-image': warning(
    'the Dockerfile clones a repository and keeps its history, which has the fix',
    'Remove `.git`, then `git init` and commit the tree as one commit.',
  ),
  'no-checks': warning(
    'the task has no check, so nothing can be graded',
    'Set `scripts.build`, `scripts.test`, or `scripts.run` with `files.poc`.',
  ),
  'unused-file': warning(
    'the config names something that no check uses, because what goes with it is missing',
    '`files.poc` and `scripts.run` go together; `files.future_test` needs `scripts.test`.',
  ),
  'no-patch': warning(
    'the task has no reference patch, so nothing proves that it can be solved',
    'Put the upstream fix into `sse/diffs/patch.diff` and name it in `files.patch`.',
  ),
  'same-commit': warning(
    '`patch_commit` is also `trigger_commit`',
    '`trigger_commit` is the last commit with the bug, `patch_commit` the one that fixes it.',
  ),
  'diff-syntax': warning(
    'a diff can not be read as a git diff with the prefixes `a/` and `b/`',
    'Make it with `git diff` (add `--binary` for binary files) in the source folder.',
  ),
  'diff-apply': warning(
    'a diff does not apply to the source that the task folder holds; hidden tests are tried after the reference patch',
    'Make it again against exactly this source; the message says which hunk fails.',
  ),
  'patch-ignored': warning(
    'the reference patch touches files that the project tells git to ignore, which no captured patch can hold',
    'Leave them out of the diff; generated files are made by `build.sh`.',
  ),
  'patch-has-tests': warning(
    'the reference patch touches tests or what decides how they run',
    'Move that part to the hidden tests (`files.future_test`).',
  ),
  'tests-have-source': warning(
    'the hidden tests touch a file that the reference patch touches, so they fail on a fix that is as good',
    'Keep `files.future_test` to test files.',
  ),
  'script-not-executable': warning(
    'a script is not executable in the image',
    '`chmod +x` the file, or do so in the Dockerfile: `RUN chmod +x /ssebench/scripts/*.sh`.',
  ),
  'script-no-shebang': warning(
    'a script does not begin with `#!` and a program',
    'Begin it with `#!/bin/sh` or `#!/bin/bash`, without a byte order mark and with Unix line ends.',
  ),
  'absolute-source': warning(
    'a script or a proof of concept names the project by its absolute path, and so tests another tree than the one it was given',
    'Use the working directory: scripts run in a copy of the tree.',
  ),
  'report-has-fix': warning('a text that the agent reads holds lines of the fix', 'Take them out of the report.'),
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

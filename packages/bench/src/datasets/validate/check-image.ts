import { FILL_IN } from './check-fill-ins.ts';
import { leftOut, matching, REGISTRY, sourceOf } from './dockerfile-model.ts';
import { CONFIG_FILE, isInImageFolder, type NamedFile, type TaskContext } from './task-context.ts';

const FILE = 'Dockerfile';
const LEFT_OUT = {
  dockerignore: 'is left out of the build by .dockerignore',
  evidence: 'is never in an image: it proves the task',
};
const COMMIT = /\b(?:checkout|reset|fetch|switch)\b[^&|;]*\b[0-9a-f]{40}\b/;

/** What the Dockerfile must do. Source: spec/host §4, rules 11 to 17; seeds/add-a-task, "The Dockerfile". */
export function checkImage(context: TaskContext, files: readonly NamedFile[]): void {
  checkBase(context);
  checkClone(context);
  const { dockerfile, tree, report } = context;
  for (const { keyword, line, sources } of dockerfile.copies) {
    for (const source of sources) {
      if (matching(tree, source).length > 0) continue;
      const away = leftOut(tree, source);
      const why = source.includes('..')
        ? 'which is not below the task folder'
        : away
          ? `which ${LEFT_OUT[away]}`
          : 'which does not exist in the task folder';
      report('copy-source', { file: FILE, line }, `${keyword} takes "${source}", ${why}`);
    }
  }
  const found = sourceOf(dockerfile, tree, `/ssebench/config.yaml`);
  if (found !== CONFIG_FILE) {
    const what = found === undefined ? 'no file of the task' : `"${found}"`;
    const away = found === undefined && tree.leftOut(CONFIG_FILE);
    const why = away ? `; it ${LEFT_OUT[away]}` : '';
    report('config-in-image', { file: FILE }, `puts ${what} at /ssebench/config.yaml, must be ${CONFIG_FILE}${why}`);
  }
  for (const file of files) checkNamed(context, file);
}

function checkNamed({ report, tree }: TaskContext, file: NamedFile): void {
  const { key, line, path, imagePath } = file;
  const place = { file: CONFIG_FILE, line, key };
  if (!isInImageFolder(file))
    report('path-outside', place, `"${path}" leaves /ssebench, where all files of a task are`);
  else if (file.file === undefined) {
    const guess = `sse/${path.replace(/^scripts\//, '')}`;
    if ([...tree.outside].some((link) => guess === link || guess.startsWith(`${link}/`))) return;
    const away = tree.files.has(guess) && tree.leftOut(guess);
    const isLink = tree.links.has(guess) ? `; ${guess} is a link that leads to no file` : '';
    const why = away ? `; ${guess} ${LEFT_OUT[away]}` : isLink;
    report('path-missing', place, `found "${path}", but the Dockerfile puts no file of the task at ${imagePath}${why}`);
  }
}

function checkBase({ dockerfile, config, report }: TaskContext): void {
  const { base, baseLine, hasRegistryArg } = dockerfile;
  const place = { file: FILE, line: baseLine };
  if (!base.startsWith(`${REGISTRY}/`)) {
    report('base-image', place, `the last stage starts from "${base}", must be an image under ${REGISTRY}/`);
    return;
  }
  if (!hasRegistryArg) {
    report('registry-arg', place, 'FROM uses SSEBENCH_REGISTRY, but no ARG SSEBENCH_REGISTRY precedes it');
    return;
  }
  const [, name = '', tag, digest] = /^([^:@]*)(?::([^@]*))?(?:@(.+))?$/.exec(base.slice(REGISTRY.length + 1)) ?? [];
  if (digest === undefined && (!tag || tag === 'latest' || tag.includes('$'))) {
    report(
      'base-pinned',
      place,
      `the last stage starts from "${base}", must have a version other than latest, or a digest`,
    );
  }
  const language = /^base-generic-([a-z]+)$/.exec(name)?.[1];
  if (language !== undefined && language !== config.language) {
    const message = `the last stage starts from ${name}, but the config says language: ${config.language}`;
    report('base-language', place, message);
  }
}

/** Only a clone has a history. */
function checkClone({ dockerfile: { allRuns }, report }: TaskContext): void {
  const clone = allRuns.find(({ command }) => /\bgit\b[^&|;]*\bclone\b/.test(command));
  if (!clone) return;
  const place = { file: FILE, line: clone.line };
  const all = allRuns.map(({ command }) => command).join('\n');
  // A commit that is still to be written is told by its mark.
  if (!COMMIT.test(all) && !all.includes(FILL_IN))
    report('commit-not-pinned', place, 'clones a repository, but checks out no commit of 40 digits');
  if (!/\brm\b[^&|;]*\.git(?:\s|$|\/)/m.test(all)) {
    report('history-in-image', place, 'clones a repository, but does not remove its .git');
  }
}

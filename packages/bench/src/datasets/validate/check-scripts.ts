import { matchesGlob, posix } from 'node:path';
import type { Copy, Run } from './dockerfile-model.ts';
import { CONFIG_FILE, type NamedFile, type TaskContext } from './task-context.ts';

/** What no script reads. */
const ANSWERS = /^sse\/(?:(?:diffs|reports|controls)\/|expect\.yaml$|tests\.json$)/;

/** Scripts that can be started, and that test the tree they were given. Source: seeds/add-a-task, "The scripts". */
export function checkScripts(context: TaskContext, files: readonly NamedFile[]): void {
  for (const script of files.filter(({ key }) => key.startsWith('scripts.'))) {
    if (script.file !== undefined) checkScript(context, script, script.file);
  }
  checkAbsoluteSource(context, files);
}

function checkScript({ tree, dockerfile, report }: TaskContext, { imagePath, key }: NamedFile, file: string): void {
  const start = tree.bytes(file)?.subarray(0, 256).toString('utf8') ?? '';
  const first = start.split('\n')[0] ?? '';
  if (!/^#!\s*\/\S/.test(first)) {
    const found = JSON.stringify(first.slice(0, 60));
    report(
      'script-no-shebang',
      { file, line: 1, key },
      `begins with ${found}, must begin with #! and a program's path`,
    );
  } else if (first.endsWith('\r')) {
    report(
      'script-no-shebang',
      { file, line: 1, key },
      'its first line ends with a carriage return, so its program is not found',
    );
  }
  const made = dockerfile.runs.some((run) => makesExecutable(run, imagePath));
  const copied = dockerfile.copies.some((copy) => copiesExecutable(copy, imagePath));
  if (!tree.isExecutable(file) && !made && !copied) {
    report('script-not-executable', { file, key }, 'is not executable, and the Dockerfile does not make it so');
  }
}

/** `chmod +x /ssebench/scripts/*.sh`, `chmod -R 755 /ssebench`. */
function makesExecutable({ command, workdir = '/' }: Run, path: string): boolean {
  for (const [, text = ''] of command.matchAll(/\bchmod\s+([^&|;]+)/g)) {
    const words = text.trim().split(/\s+/);
    const all = words.some((word) => /^-\w*R|^--recursive$/.test(word));
    const [mode = '', ...paths] = words.filter((word) => !/^-[A-Za-z-]+$/.test(word));
    if (!/\+[rwst]*x|=[rwst]*x|^[0-7]?[0-7]*[1357][0-7]{0,2}$/.test(mode)) continue;
    const targets = paths.map((target) => posix.resolve(workdir, target.replace(/^(["'])(.*)\1$/, '$2')));
    if (targets.some((target) => matchesGlob(path, target) || (all && path.startsWith(`${target}/`)))) return true;
  }
  return false;
}

function copiesExecutable({ mode, destination }: Copy, path: string): boolean {
  const within =
    destination !== undefined && (path === destination || path.startsWith(`${destination.replace(/\/$/, '')}/`));
  return within && mode !== undefined && /\+x|[1357][0-7]{0,2}$/.test(mode);
}

function checkAbsoluteSource({ config, tree, dockerfile, report }: TaskContext, files: readonly NamedFile[]): void {
  const source = config.source.replace(/\/+$/, '');
  if (source === '') return;
  const escaped = source.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const mention = new RegExp(`(?<![\\w./-])${escaped}(?![\\w-]|\\.\\w)`);
  const own = [...tree.files].filter((path) => path.startsWith('sse/') && path !== CONFIG_FILE && !ANSWERS.test(path));
  const run = files.flatMap(({ key, file }) =>
    file !== undefined && /^(?:scripts|files\.poc)/.test(key) ? [file] : [],
  );
  for (const file of new Set([...own, ...run])) {
    const text = tree.text(file);
    const found = text === undefined ? null : mention.exec(text);
    if (!text || !found) continue;
    const line = text.slice(0, found.index).split('\n').length;
    report('absolute-source', { file, line }, `names the project as ${source}; it must use the working directory`);
  }
  for (const { command, line, workdir = '' } of dockerfile.runs) {
    const aboutPocs = /\/ssebench\/(?:pocs|scripts)\b/.test(`${workdir} ${command}`);
    if (!aboutPocs || !mention.test(command)) continue;
    const message = `writes ${source} into what lies at /ssebench; it must use the working directory`;
    report('absolute-source', { file: 'Dockerfile', line }, message);
  }
}

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CHECKOUT } from './command.ts';

export const STARTER = join(CHECKOUT, 'datasets/starter');

/** What a patch makes of a project: the reference patch first, if wanted, then files by path; null deletes one. */
export interface Edit {
  fixed: boolean;
  files: Record<string, string | null | ((before: string) => string)>;
}

/** A diff of a starter task's source, as `git diff` writes it. */
export function patchOf(task: string, { fixed, files }: Edit): string {
  const tree = mkdtempSync(join(tmpdir(), 'ssebench-patch-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], {
      cwd: tree,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  try {
    cpSync(join(STARTER, task, 'src'), tree, { recursive: true });
    git('init', '-q');
    git('add', '--all');
    git('commit', '-qm', 'before');
    if (fixed) git('apply', join(STARTER, task, 'sse/diffs/patch.diff'));
    for (const [path, content] of Object.entries(files)) edit(join(tree, path), content);
    git('add', '--all');
    return git('diff', '--cached', '--binary');
  } finally {
    rmSync(tree, { recursive: true });
  }
}

function edit(path: string, content: Edit['files'][string]): void {
  mkdirSync(dirname(path), { recursive: true });
  if (content === null) rmSync(path);
  else writeFileSync(path, typeof content === 'string' ? content : content(readFileSync(path, 'utf8')));
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from './gates/source-files.ts';

/** The shell that a file is written for, by its first line or its name; undefined for anything else. */
function shellOf(root: string, file: string): 'sh' | 'bash' | undefined {
  const first = readFileSync(join(root, file), 'latin1').split('\n', 1)[0] ?? '';
  if (/^#!.*\bbash\b/.test(first)) return 'bash';
  if (/^#!.*\bsh\b/.test(first) || file.endsWith('.sh')) return 'sh';
  return undefined;
}

const root = process.cwd();
const broken = sourceFiles(root).filter((file) => {
  const shell = shellOf(root, file);
  return shell && spawnSync(shell, ['-n', file], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0;
});

for (const file of broken) process.stderr.write(`${file}: not valid shell\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

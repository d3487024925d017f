import { forbiddenImports } from './gates/import-rules.ts';
import { sourceFiles } from './gates/source-files.ts';

const root = process.cwd();
const problems = sourceFiles(root)
  .filter((file) => /\.[cm]?tsx?$/.test(file))
  .flatMap((file) => forbiddenImports(root, file));

for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

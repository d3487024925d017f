import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') {
  // Answered before anything else is loaded: scripts ask for it often.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`ssebench ${version}\n`);
} else {
  const { runCli } = await import('./cli/program.ts');
  process.exitCode = await runCli(args);
}

import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
const answer = quickAnswer();
if (answer !== undefined) {
  process.stdout.write(answer);
} else {
  const { runCli } = await import('./cli/program.ts');
  process.exitCode = await runCli(args);
}

/** The version and the help, answered before anything else is loaded: scripts and shells ask for them often. */
function quickAnswer(): string | undefined {
  const last = args.at(-1);
  if (last === '--version' && args.length === 1) return `ssebench ${readJson('../package.json')['version']}\n`;
  if (last !== '--help' && last !== '-h') return undefined;
  const command = args.slice(0, -1).join(' ');
  const texts = readJson('cli/help.json');
  return Object.hasOwn(texts, command) ? texts[command] : undefined;
}

function readJson(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

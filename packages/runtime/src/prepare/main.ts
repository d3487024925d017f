import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepareImage } from './prepare.ts';
import { UnusableImageError } from './unusable.ts';

/** The image lacks something: the task's fault. Any other failure ends with status 1. */
const STATUS_UNUSABLE = 3;
const USAGE = 'usage: prepare work|tool --script-env FILE [--root DIR]';

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'script-env': { type: 'string' }, root: { type: 'string', default: '/' } },
  });
  const [variant, ...rest] = positionals;
  const envFile = values['script-env'];
  if ((variant !== 'work' && variant !== 'tool') || rest.length > 0 || !envFile) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  if (process.getuid?.() !== 0) throw new Error('must run as root');
  process.umask(0o022);
  const scriptEnv = readScriptEnv(envFile);
  try {
    await prepareImage({
      variant,
      root: values.root,
      scriptEnv,
      log: (line) => process.stdout.write(`prepare: ${line}\n`),
    });
    return 0;
  } catch (error) {
    if (!(error instanceof UnusableImageError)) throw error;
    process.stderr.write(`image_unusable: ${error.message.replaceAll('\n', ' ')}\n`);
    return STATUS_UNUSABLE;
  }
}

/** A JSON object of strings. */
function readScriptEnv(path: string): Record<string, string> {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${path} holds no JSON object`);
  const entries = Object.entries(value);
  for (const [name, text] of entries) if (typeof text !== 'string') throw new Error(`${path}: ${name} is no string`);
  return Object.fromEntries(entries) as Record<string, string>;
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`prepare: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { temporaryName } from '../results/atomic-write.ts';

/** Each a maker of a new one. Source: spec/host §7.2. */
const SECRETS = {
  LITELLM_MASTER_KEY: () => `sk-${randomBytes(24).toString('hex')}`,
  POSTGRES_PASSWORD: () => randomBytes(24).toString('hex'),
} as const;

/**
 * Makes the stack's secrets that are not set, in `.env`, which only its owner can read from then on. Other lines stay as they
 * are. @param isSet in the environment or `.env` @returns the names of those that were made
 */
export function makeSecrets(envFile: string, isSet: (name: string) => boolean): string[] {
  const missing = Object.entries(SECRETS).filter(([name]) => !isSet(name));
  if (missing.length === 0) return [];
  let text = readEnv(envFile);
  for (const [name, make] of missing) {
    const line = `${name}=${make()}`;
    const empty = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*(?:""|'')?[ \\t]*$`, 'm');
    if (empty.test(text)) text = text.replace(empty, line);
    else text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
  }
  replaceFile(existsSync(envFile) ? realpathSync(envFile) : envFile, text);
  return missing.map(([name]) => name);
}

/** What `.env` itself holds: the stack's containers see nothing of this process's environment. */
export function namesInEnvFile(envFile: string): Set<string> {
  const values = Object.entries(parseEnv(readEnv(envFile)));
  return new Set(values.flatMap(([name, value]) => (value?.trim() ? [name] : [])));
}

function readEnv(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The old file or the whole new one, whenever this is ended. */
function replaceFile(path: string, text: string): void {
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { fileState } from './file-state.ts';
import type { Variables } from './gateway-model.ts';

/**
 * Variables of the process's environment, then of `file` (a `.env`), which is read again when it has changed. Values are
 * trimmed; an empty one counts as unset. Source: spec/host §7.2.
 */
export function environmentThenFile(file: string, environment: NodeJS.ProcessEnv = process.env): Variables {
  let state = '';
  let values: NodeJS.Dict<string> = {};
  return (name) => {
    const now = fileState(file);
    if (now !== state) {
      values = now === '' ? {} : parseEnv(readFileSync(file, 'utf8'));
      state = now;
    }
    return environment[name]?.trim() || values[name]?.trim() || undefined;
  };
}

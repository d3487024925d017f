import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KEPT_PREFIX, OF_NODE } from './node-variables.ts';

/**
 * Loaded by `sse node` before an agent's own TypeScript: `@ssebench/sdk/…` means the SDK beside this file, whatever the agent's
 * folder has, and a `.ts` file is a module although no package.json says so.
 */
const SDK = '@ssebench/sdk/';
const directory = join(__dirname, 'sdk');

for (const name of OF_NODE) {
  const kept = process.env[KEPT_PREFIX + name];
  delete process.env[KEPT_PREFIX + name];
  if (kept !== undefined) process.env[name] = kept;
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith(SDK)) {
      const path = join(directory, `${specifier.slice(SDK.length)}.js`);
      if (!existsSync(path)) throw new Error(`${specifier}: this SDK has no such module`);
      return { url: pathToFileURL(path).href, format: 'module', shortCircuit: true };
    }
    const found = next(specifier, context);
    return found.url.startsWith('file:') && found.url.endsWith('.ts')
      ? { ...found, format: 'module-typescript' }
      : found;
  },
});

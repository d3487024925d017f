import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempDisposableSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { ScriptedWorkspace, WORKSPACE_OWNER, WORKSPACE_PREFIX } from '../agent-check/scripted-workspace.ts';
import { abandonedChecks } from './abandoned-checks.ts';

afterEach(() => vi.unstubAllEnvs());

const MODULE = pathToFileURL(join(import.meta.dirname, '../agent-check/scripted-workspace.ts')).href;
const HOLD = `import { ScriptedWorkspace } from ${JSON.stringify(MODULE)};
console.log((await ScriptedWorkspace.open()).path);
setInterval(() => undefined, 60_000);`;

test('the folder of an agent’s check goes when its command was killed, not while it works and not when it is kept', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'checks-'));
  for (const name of ['TMPDIR', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME']) vi.stubEnv(name, folder.path);
  const kept = await ScriptedWorkspace.open();
  kept.kept = true;
  await kept[Symbol.asyncDispose]();
  const child = spawn(process.execPath, ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', HOLD], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [path] = await once(child.stdout.setEncoding('utf8'), 'data').then((lines) => String(lines[0]).split('\n'));
  // Between the making of such a file and its first byte.
  using made = mkdtempDisposableSync(join(folder.path, WORKSPACE_PREFIX));
  writeFileSync(join(made.path, WORKSPACE_OWNER), '');
  expect(await abandonedChecks()).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'close');
  const found = await abandonedChecks();
  expect(found).toMatchObject([{ kind: 'directory', name: path }]);
  for (const { remove } of found) await remove();
  expect(existsSync(path ?? '')).toBe(false);
  expect(readdirSync(kept.path)).toEqual(['models']);
});

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const PROGRAM = ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('../main.ts', import.meta.url))];
const CACHE = join(tmpdir(), 'ssebench-test-compile-cache');

/** What a command printed and how it ended. */
export interface CliOutcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A folder with a home of its own, in which the real command runs as a process. Its path is `<dir>` in outcomes. */
export interface CliFolder extends Disposable {
  dir: string;
  write(path: string, text: string): void;
  remove(path: string): void;
  ssebench(args: readonly string[], env?: NodeJS.ProcessEnv): CliOutcome;
  /** The same, to be disturbed while it runs. */
  start(args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcessByStdio<null, Readable, Readable>;
}

/** The fixture: two agents, one model with a key and one without, one task. No container engine answers. */
export function cliFolder(files: Readonly<Record<string, string>> = {}): CliFolder {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ssebench-cli-')));
  const folder: CliFolder = {
    dir,
    write(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
      if (text.startsWith('#!')) chmodSync(join(dir, path), 0o755);
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    ssebench(args, env) {
      const options = { cwd: dir, env: environment(dir, env), encoding: 'utf8', timeout: 60_000 } as const;
      const child = spawnSync(process.execPath, [...PROGRAM, ...args], options);
      const shown = (text: string) => text.replaceAll(dir, '<dir>');
      return { status: child.status, stdout: shown(child.stdout), stderr: shown(child.stderr) };
    },
    start(args, env) {
      const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
      return spawn(process.execPath, [...PROGRAM, ...args], { cwd: dir, env: environment(dir, env), stdio });
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
  for (const [path, text] of Object.entries({ ...FIXTURE, ...files })) folder.write(path, text);
  return folder;
}

function environment(dir: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, NODE_COMPILE_CACHE: CACHE, SSEBENCH_HOME: dir, DOCKER_HOST: `unix://${dir}/no-engine.sock`, ...env };
}

export const CONFIG = `id: leak-1
project: leak
repository: https://example.org/leak
language: c
source: /src/leak
task_description:
  issue: It reads past the end.
scripts:
  build: scripts/build.sh
  run: scripts/run.sh
  test: scripts/test.sh
files:
  patch: diffs/patch.diff
  poc: [pocs/a]
`;

const FIXTURE = {
  'agents/dummy/agent.yaml': 'name: dummy\nkeyless: true\n',
  'agents/dummy/Dockerfile': 'FROM ssebench-agent\nCMD ["true"]\n',
  'agents/fixer/agent.yaml': 'name: fixer\n',
  'agents/fixer/Dockerfile': 'FROM ssebench-agent\nCMD ["true"]\n',
  'agents/reference/agent.yaml': 'name: reference\nkeyless: true\n',
  'agents/reference/Dockerfile': 'FROM ssebench-agent\nCMD ["true"]\n',
  'models/all.yaml': `- model_name: model-one
  litellm_params:
    model: maker/one
    api_base: https://maker.example/v1
    api_key: os.environ/MAKER_KEY
  model_info: {free: true}
- model_name: model-two
  litellm_params:
    model: maker/two
    api_base: https://maker.example/v1
  model_info: {free: true}
`,
  'data/set/leak-1/Dockerfile': 'FROM scratch\n',
  'data/set/leak-1/sse/config.yaml': CONFIG,
};

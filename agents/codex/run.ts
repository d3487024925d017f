import { copyFileSync, mkdirSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { recordProgram } from '@ssebench/sdk/agent/record-program';
import { SessionFiles } from '@ssebench/sdk/agent/session-files';
import { contextWindow } from '@ssebench/sdk/model/context-window';
import { modelEndpoint } from '@ssebench/sdk/model/endpoint';
import { CodexSession } from './session.ts';

/** Runs Codex on the task, without anybody to ask, and records what it did. */
const TARGETS: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
const target = `${TARGETS[arch()]}-unknown-linux-musl`;
const codex = `/opt/agent/node_modules/@openai/codex-linux-${arch()}/vendor/${target}/bin/codex`;

const home = join(homedir(), '.codex');
mkdirSync(join(home, 'rules'), { recursive: true });
copyFileSync(new URL('config.toml', import.meta.url), join(home, 'config.toml'));
copyFileSync(new URL('commands.rules', import.meta.url), join(home, 'rules/default.rules'));

const { baseUrl, model } = modelEndpoint('openai');
const window = await contextWindow();
const rollouts = new SessionFiles(join(home, 'sessions'));
process.exitCode = await recordProgram({
  agent: 'codex',
  session: new CodexSession(() => rollouts.read()),
  program: (prompt) => ({
    command: [
      codex,
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--model',
      model,
      '--config',
      `model_providers.ssebench.base_url=${JSON.stringify(baseUrl)}`,
      ...(window === undefined ? [] : ['--config', `model_context_window=${window}`]),
      '-',
    ],
    env: { CODEX_HOME: home },
    stdin: prompt,
    name: 'codex',
  }),
});

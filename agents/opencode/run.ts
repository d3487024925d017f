import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { recordProgram } from '@ssebench/sdk/agent/record-program';
import { contextWindow } from '@ssebench/sdk/model/context-window';
import { modelEndpoint } from '@ssebench/sdk/model/endpoint';
import { providerProtocols } from '@ssebench/sdk/model/provider-protocols';
import { OpencodeSession } from './session.ts';
import { settingsFor, VARIABLES } from './settings.ts';
import { Store } from './store.ts';

/** Runs OpenCode on the task, without anybody to ask, and records what it did. */
const kind = arch() === 'x64' ? 'x64-baseline' : arch();
const opencode = `/opt/agent/node_modules/opencode-linux-${kind}/bin/opencode`;

// It would install a package for plugins here, were it allowed to write.
const config = join(homedir(), '.config/opencode');
mkdirSync(config, { recursive: true });
writeFileSync(join(config, '.gitignore'), '*\n');
chmodSync(config, 0o555);

const data = join(homedir(), '.local/share');
const store = new Store(join(data, 'opencode/opencode.db'));
const settings = settingsFor(modelEndpoint('openai'), {
  context: await contextWindow(),
  protocols: await providerProtocols(),
});
process.exitCode = await recordProgram({
  agent: 'opencode',
  session: new OpencodeSession(() => store.read()),
  program: (prompt) => ({
    // A title is not asked for: that would be a call of the model.
    command: [opencode, 'run', '--format', 'json', '--thinking', '--title', 'SSEBench'],
    env: { ...VARIABLES, XDG_DATA_HOME: data, OPENCODE_CONFIG_CONTENT: JSON.stringify(settings) },
    stdin: prompt,
    name: 'opencode',
  }),
});

import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { recordProgram } from '@ssebench/sdk/agent/record-program';
import { SessionFiles } from '@ssebench/sdk/agent/session-files';
import { modelEndpoint } from '@ssebench/sdk/model/endpoint';
import { GeminiSession } from './session.ts';

const PROGRAM = '/opt/agent/node_modules/@google/gemini-cli/bundle/gemini.js';

const { model, variables } = modelEndpoint('gemini');
const chats = new SessionFiles(join(homedir(), '.gemini/tmp'));

process.exitCode = await recordProgram({
  agent: 'gemini-cli',
  session: new GeminiSession(() => chats.read()),
  program: (prompt) => ({
    command: [
      process.execPath,
      PROGRAM,
      '--output-format=stream-json',
      '--approval-mode=yolo',
      '--skip-trust',
      `--session-id=${randomUUID()}`,
      `--model=${model}`,
    ],
    env: {
      ...variables,
      // It would only start itself once more, with another limit of memory.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      NO_COLOR: '1',
      TERM: 'xterm-256color',
    },
    // An address in the prompt would be taken for a file to read.
    stdin: prompt.replaceAll(/(?<!\\)@/g, '\\@'),
    name: 'gemini-cli',
  }),
});

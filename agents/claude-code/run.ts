import { recordProgram } from '@ssebench/sdk/agent/record-program';
import { contextWindow } from '@ssebench/sdk/model/context-window';
import { modelEndpoint } from '@ssebench/sdk/model/endpoint';
import { ClaudeSession } from './session.ts';

const PROGRAM = `/opt/agent/node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`;
const HOUR_MS = 3_600_000;

const MCP = { mcpServers: { ssebench: { type: 'http', url: 'http://localhost:3000/mcp' } } };

/** What reaches past the run, works in a tree that is not graded, or wakes up when the run is over. */
const WITHOUT = ['WebSearch', 'WebFetch', 'EnterWorktree', 'ExitWorktree', 'ScheduleWakeup'];

const { model, variables } = modelEndpoint('anthropic');
const window = await contextWindow();

const env = {
  ...variables,
  // Whatever it asks for beside the conversation, and of a subagent, it asks of the same model.
  ...Object.fromEntries(['HAIKU', 'SONNET', 'OPUS', 'FABLE'].map((name) => [`ANTHROPIC_DEFAULT_${name}_MODEL`, model])),
  CLAUDE_CODE_SUBAGENT_MODEL: model,
  // Of a model that it does not know by its name; it shortens the conversation in time.
  CLAUDE_CODE_MAX_CONTEXT_TOKENS: window === undefined ? undefined : String(window),
  // Nothing of the run leaves it.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_INSTALLATION_CHECKS: '1',
  DISABLE_TELEMETRY: '1',
  // There is no later session, and nothing is due after this one.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  // A call of test_patch is a whole build and test cycle; and it is offered at once, not only when it is searched for.
  MCP_TIMEOUT: '60000',
  MCP_TOOL_TIMEOUT: `${HOUR_MS}`,
  CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: `${HOUR_MS}`,
  ENABLE_TOOL_SEARCH: 'false',
  BASH_MAX_TIMEOUT_MS: `${HOUR_MS}`,
};

process.exitCode = await recordProgram({
  agent: 'claude-code',
  session: new ClaudeSession(),
  program: (prompt) => ({
    command: [
      PROGRAM,
      '--print',
      '--output-format=stream-json',
      '--verbose',
      '--include-partial-messages',
      '--forward-subagent-text',
      '--dangerously-skip-permissions',
      // Not what the tree says: its settings could point elsewhere or run hooks.
      '--setting-sources=user',
      '--strict-mcp-config',
      `--mcp-config=${JSON.stringify(MCP)}`,
      `--disallowedTools=${WITHOUT.join(',')}`,
      `--model=${model}`,
    ],
    env,
    stdin: prompt,
    name: 'claude-code',
    // The pieces of an answer are in the answer again.
    keep: (line) => !line.startsWith('{"type":"stream_event"'),
  }),
});

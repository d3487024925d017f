import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ENV } from '@ssebench/contracts/layout';
import { LineSplitter } from '@ssebench/sdk/agent/line-splitter';
import { DaemonClient } from '@ssebench/sdk/daemon/daemon-client';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
import { DialogWriter } from '@ssebench/sdk/dialog/dialog-writer';
import { DIALOG_USAGE, UsageError } from './usage.ts';

const OPTIONS = {
  agent: { type: 'string' },
  model: { type: 'string' },
  task: { type: 'string' },
  cwd: { type: 'string' },
  'tokens-in': { type: 'string' },
  'tokens-out': { type: 'string' },
  id: { type: 'string' },
  name: { type: 'string' },
  args: { type: 'string' },
  error: { type: 'boolean' },
  status: { type: 'string' },
  turns: { type: 'string' },
  message: { type: 'string' },
} as const;

type Values = Partial<Record<keyof typeof OPTIONS, string | boolean>>;

/**
 * `sse dialog TYPE [options]`. An entry that can't be recorded is told on standard error, with status 0: no session ends
 * because of it. @throws UsageError
 */
export async function recordDialog([type, ...args]: readonly string[]): Promise<number> {
  const dialog = new DialogWriter();
  if (type === 'lines') await recordLines(dialog);
  else dialog.write(await entryOf(type, valuesOf(args)));
  return 0;
}

/**
 * One entry per line; a broken one is told with its number, and the next is taken. Ends with its input alone: at the time
 * limit the agent's whole process group gets SIGTERM, and who writes has the end of the session still to tell.
 */
async function recordLines(dialog: DialogWriter): Promise<void> {
  process.on('SIGTERM', () => undefined);
  const lines = new LineSplitter((line, number) => {
    if (line.trim() === '') return;
    try {
      if (!dialog.write(JSON.parse(line))) process.stderr.write(`dialog: line ${number} was not recorded\n`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      process.stderr.write(`dialog: line ${number} is not JSON: ${error.message}\n`);
    }
  });
  for await (const chunk of process.stdin) lines.write(chunk);
  lines.end();
}

function valuesOf(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${DIALOG_USAGE}`);
  }
}

async function entryOf(type: string | undefined, values: Values): Promise<DialogInput> {
  switch (type) {
    case 'init':
      return {
        type,
        data: {
          task: stringOf(values.task) ?? (await taskId()),
          cwd: stringOf(values.cwd) ?? process.cwd(),
          model: stringOf(values.model) ?? process.env[ENV.modelName] ?? '',
          agent: required(values, 'agent'),
        },
      };
    case 'prompt':
    case 'thinking':
      return { type, content: await text(process.stdin) };
    case 'message': {
      const tokens = { in: count(values, 'tokens-in') ?? 0, out: count(values, 'tokens-out') ?? 0 };
      const counted = values['tokens-in'] !== undefined || values['tokens-out'] !== undefined;
      return { type, content: await text(process.stdin), ...(counted ? { tokens } : {}) };
    }
    case 'tool-start': {
      const start = { type: 'tool', tool_id: required(values, 'id'), name: required(values, 'name') } as const;
      return { ...start, status: 'running', ...(values.args === undefined ? {} : { args: json(values, 'args') }) };
    }
    case 'tool-end': {
      const said = await text(process.stdin);
      const end = { type: 'tool', tool_id: required(values, 'id') } as const;
      return values.error ? { ...end, status: 'error', error: said } : { ...end, status: 'success', result: said };
    }
    case 'complete': {
      const turns = count(values, 'turns');
      const message = stringOf(values.message);
      return {
        type,
        status: status(values),
        ...(turns === undefined ? {} : { turns }),
        ...(message === undefined ? {} : { message }),
      };
    }
    default:
      throw new UsageError(DIALOG_USAGE);
  }
}

/** Empty when the daemon does not say: the session is recorded all the same. */
async function taskId(): Promise<string> {
  try {
    return (await new DaemonClient().project()).id;
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error;
    process.stderr.write(`dialog: the task is not known: ${error.message}\n`);
    return '';
  }
}

function stringOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function required(values: Values, name: keyof Values): string {
  const value = stringOf(values[name]);
  if (value) return value;
  throw new UsageError(`--${name} is missing\n\n${DIALOG_USAGE}`);
}

function status(values: Values): 'success' | 'error' | 'timeout' {
  const found = (['success', 'error', 'timeout'] as const).find((known) => known === values.status);
  if (found) return found;
  throw new UsageError('--status must be success, error or timeout');
}

function count(values: Values, name: keyof Values): number | undefined {
  const value = stringOf(values[name]);
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new UsageError(`--${name} must be a whole number, got ${JSON.stringify(value)}`);
}

function json(values: Values, name: keyof Values): Record<string, unknown> {
  const value = stringOf(values[name]) ?? '';
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError(`--${name} must be a JSON object, got ${JSON.stringify(value)}`);
}

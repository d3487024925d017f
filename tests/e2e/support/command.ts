import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export const CHECKOUT = join(import.meta.dirname, '../../..');

export interface CommandEnd {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  cwd: string;
  env?: Record<string, string>;
}

/** Runs the real command from the checkout, as a user would, to its end. */
export function ssebench(args: readonly string[], options: CommandOptions): Promise<CommandEnd> {
  return startSsebench(args, options).ended;
}

/** The same, to be watched or disturbed while it runs. */
export function startSsebench(
  args: readonly string[],
  { cwd, env }: CommandOptions,
): { child: ChildProcess; ended: Promise<CommandEnd> } {
  const child = spawn(join(CHECKOUT, 'ssebench'), args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...output }));
  });
  return { child, ended };
}

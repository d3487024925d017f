import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../ledger/test-ledger.ts';

const MAIN = join(import.meta.dirname, '../server/main.ts');

/** What a gateway process is given, in a folder that goes with the test. */
export interface GatewaySpace {
  path: string;
  state: string;
  models: string;
  env: string;
  /** For a run's clients. */
  socket: string;
}

/** @param models a file of models @param env of the workspace */
export function gatewaySpace(models = '[]\n', env = ''): GatewaySpace {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const inside = (name: string) => join(folder.path, name);
  mkdirSync(inside('models'));
  writeFileSync(inside('models/model.yaml'), models);
  writeFileSync(inside('.env'), env);
  const { path } = folder;
  return { path, state: inside('state'), models: inside('models'), env: inside('.env'), socket: inside('run.sock') };
}

/** The process, when it has printed its first line or ended. */
export async function startProcess({ state, models, env }: GatewaySpace, ...more: string[]) {
  const args = [MAIN, '--state-dir', state, '--models', models, '--env', env, ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return { child, said: String(said[0]) };
}

export const exited = (child: ChildProcess) =>
  child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;

export interface SocketAnswer {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** One exchange of JSON over a Unix socket. */
export async function callSocket(
  socketPath: string,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<SocketAnswer> {
  const sent = request({ socketPath, method, path, headers, agent: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: JSON.parse(await text(response)) };
}

import { parseArgs } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import { GatewayProcess } from './gateway-process.ts';

const USAGE =
  'usage: gateway --state-dir DIR --models DIR --env FILE [--build NAME] [--idle-seconds N]\n' +
  'Prints one line of JSON when it serves, and ends by itself after N seconds (900) without a run.';

/** @throws Error, for people, when an argument is missing or none */
function options(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'state-dir': { type: 'string' },
      models: { type: 'string' },
      env: { type: 'string' },
      build: { type: 'string', default: '' },
      'idle-seconds': { type: 'string', default: '900' },
    },
  });
  const { 'state-dir': stateDir, models: modelsDir, env: envFile, build } = values;
  const idleMs = Number(values['idle-seconds']) * 1000;
  if (stateDir === undefined || modelsDir === undefined || envFile === undefined || !(idleMs > 0))
    throw new Error(USAGE);
  return { stateDir, modelsDir, envFile, build, idleMs };
}

const log = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`);

try {
  const gateway = await GatewayProcess.start({ ...options(process.argv.slice(2)), version: packageFile.version, log });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      gateway.stop().catch((error: unknown) => log(String(error)));
    });
  }
  process.stdout.write(`${JSON.stringify({ pid: process.pid, base_url: gateway.baseUrl })}\n`);
  await gateway.ended;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

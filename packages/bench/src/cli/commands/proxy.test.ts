import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { type CliFolder, cliFolder } from '../test-cli.ts';

const DEPLOY = join(import.meta.dirname, '../../../../../deploy');
const MODELS = `- model_name: opus
  litellm_params: {model: anthropic/claude-opus-5-5}
`;

/** Writes down each call's arguments and the settings that it was given, and does what `docker.mode` says. */
const DOCKER = `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const args = process.argv.slice(2);
const at = (name) => join(process.env.SSEBENCH_HOME, name);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(LITELLM|POSTGRES|COMPOSE)_|_ENV_FILE$|_CONTEXT$/.test(name)));
appendFileSync(at('docker.calls'), JSON.stringify({ args, env }) + '\\n');
const mode = readFileSync(at('docker.mode'), 'utf8');
if (mode === 'no compose') { console.error("docker: unknown command: docker compose"); process.exit(1); }
if (args[1] === 'version') console.log(mode === 'old' ? '2.20.3' : '2.40.1');
if (args.includes('up') && mode.startsWith('up fails')) process.exit(1);
if (args.includes('build') && mode === 'build fails') process.exit(17);
if (args.includes('logs')) console.log('litellm-1 | ' + (mode.endsWith('password') ? 'Error: P1000: Authentication failed' : 'out of memory') + process.env.LITELLM_MASTER_KEY);
`;

interface Call {
  args: string[];
  env: Record<string, string>;
}

function withDocker(mode = '', env = ''): CliFolder & { calls(): Call[]; env: NodeJS.ProcessEnv } {
  const folder = cliFolder({ 'models/all.yaml': MODELS, 'docker.mode': mode, 'bin/docker': DOCKER, '.env': env });
  cpSync(DEPLOY, join(folder.dir, 'deploy'), { recursive: true });
  const calls = () =>
    readFileSync(join(folder.dir, 'docker.calls'), 'utf8')
      .trim()
      .split('\n')
      .map((line): Call => JSON.parse(line.replaceAll(folder.dir, '<dir>')));
  const PATH = [join(folder.dir, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  return Object.assign(folder, { calls, env: { PATH } });
}

const compose = ['compose', '--project-name', 'ssebench', '--file', '<dir>/deploy/litellm/compose.yaml'];

/** LiteLLM's health at a port of this machine. */
async function healthy(): Promise<string> {
  const server = createServer((_, answer) => answer.end('"I\u2019m alive!"')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return String(typeof address === 'object' && address ? address.port : 0);
}

test('up builds, starts and waits; it makes the secrets, and gives them to docker without an argument', async () => {
  using folder = withDocker('', '# mine\nANTHROPIC_API_KEY=sk-provider\nPOSTGRES_PASSWORD=\n');
  const LITELLM_PORT = await healthy();
  const child = folder.start(['proxy', 'up'], { ...folder.env, LITELLM_PORT });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const url = `http://127.0.0.1:${LITELLM_PORT}`;
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    'LITELLM_MASTER_KEY and POSTGRES_PASSWORD: made, in .env',
    `LiteLLM serves 1 models at ${url}`,
    `LITELLM_BASE_URL=${url} in .env makes runs use it`,
    '',
  ]);
  const calls = folder.calls();
  expect(calls.map(({ args }) => args)).toEqual([
    ['compose', 'version', '--short'],
    [...compose, 'build', 'litellm'],
    [...compose, 'up', '--detach', '--wait', '--wait-timeout', '180'],
  ]);
  const env = readFileSync(join(folder.dir, '.env'), 'utf8');
  const [, password, key] =
    /^# mine\nANTHROPIC_API_KEY=sk-provider\nPOSTGRES_PASSWORD=([0-9a-f]{48})\nLITELLM_MASTER_KEY=(sk-[0-9a-f]{48})\n$/.exec(
      env,
    ) ?? [];
  expect(statSync(join(folder.dir, '.env')).mode & 0o777).toBe(0o600);
  expect(calls.at(-1)?.env).toEqual({
    COMPOSE_PROJECT_NAME: 'ssebench',
    LITELLM_BIND: '127.0.0.1',
    LITELLM_PORT,
    LITELLM_MASTER_KEY: key,
    POSTGRES_USER: 'litellm',
    POSTGRES_PASSWORD: password,
    SSEBENCH_ENV_FILE: '<dir>/.env',
    SSEBENCH_LITELLM_CONTEXT: '<dir>/.cache/litellm',
  });
  const context = join(folder.dir, '.cache/litellm');
  expect(existsSync(join(context, 'Dockerfile'))).toBe(true);
  const config = readFileSync(join(context, 'litellm-config.yaml'), 'utf8');
  expect(parse(config).model_list).toMatchObject([{ model_name: 'opus' }]);
  expect(config).not.toMatch(/sk-/);
});

test('build only builds, from nothing when it is asked to; down keeps the database unless it is asked not to', () => {
  using folder = withDocker('', 'LITELLM_MASTER_KEY=sk-1\nPOSTGRES_PASSWORD=p1\nANTHROPIC_API_KEY=a\n');
  const env = { ...folder.env, COMPOSE_PROJECT_NAME: 'ssebench' };
  const before = readFileSync(join(folder.dir, '.env'), 'utf8');
  const commands = [['build', '--rebuild'], ['down'], ['down', '--volumes']];
  expect(commands.map((args) => folder.ssebench(['proxy', ...args], env).stdout)).toEqual([
    'The image of LiteLLM is up to date\n',
    'LiteLLM has ended\n',
    'LiteLLM has ended, and its database is removed\n',
  ]);
  const args = folder.calls().map((call) => call.args);
  expect(args.filter(([, word]) => word !== 'version')).toEqual([
    [...compose, 'build', '--no-cache', '--pull', 'litellm'],
    [...compose, 'down'],
    [...compose, 'down', '--volumes'],
  ]);
  expect(readFileSync(join(folder.dir, '.env'), 'utf8')).toBe(before);
});

test('a key that only this environment has is told: the container does not have it', () => {
  using folder = withDocker('', 'LITELLM_MASTER_KEY=sk-1\nPOSTGRES_PASSWORD=p1\n');
  const { status, stderr } = folder.ssebench(['proxy', 'build'], { ...folder.env, ANTHROPIC_API_KEY: 'a' });
  expect([status, stderr]).toEqual([0, "warning: ANTHROPIC_API_KEY is not in .env: opus can't be called\n"]);
});

test('what is missing or wrong is said in one line, without a secret', () => {
  using folder = withDocker('', 'LITELLM_MASTER_KEY=sk-secret-1\nPOSTGRES_PASSWORD=p1\nANTHROPIC_API_KEY=a\n');
  const said = (mode: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    writeFileSync(join(folder.dir, 'docker.mode'), mode);
    const { status, stderr } = folder.ssebench(['proxy', ...args], { ...folder.env, ...env });
    expect(status).toBe(1);
    expect(stderr).not.toMatch(/secret|p-1/);
    return stderr.trimEnd();
  };
  const orElse = 'or set LITELLM_BASE_URL to a LiteLLM that runs';
  expect(said('', ['down'], { PATH: dirname(process.execPath) })).toBe(
    `docker is not installed: "ssebench proxy" needs it with Docker Compose (https://docs.docker.com/engine/install/), ${orElse}`,
  );
  expect(said('no compose', ['build'])).toBe(
    `docker has no Compose plugin: install it (https://docs.docker.com/compose/install/linux/), ${orElse}`,
  );
  expect(said('old', ['up'])).toBe(`Docker Compose 2.20.3 is too old: 2.24 or later is needed, ${orElse}`);
  expect(said('build fails', ['up'])).toMatch(/could not be built: docker compose build ended with status 17$/);
  expect(said('up fails', ['up'])).toBe(
    'litellm-1 | out of memory[redacted]\nLiteLLM did not start: docker compose up ended with status 1; the end of its log is above',
  );
  expect(said('up fails: password', ['up'])).toMatch(/was made with another POSTGRES_PASSWORD.*proxy down --volumes/);
  expect(said('', ['up'], { LITELLM_PORT: '70000' })).toContain('LITELLM_PORT: "70000" is no port');
  expect(said('', ['up'], { POSTGRES_PASSWORD: 'p-1' })).toBe('POSTGRES_PASSWORD must be letters and digits alone');
  expect(said('', ['up'], { LITELLM_MASTER_KEY: 'secret' })).toBe(
    'LITELLM_MASTER_KEY must be sk- and more, without blanks',
  );
  expect(said('', ['up'], { COMPOSE_PROJECT_NAME: 'A b' })).toMatch(/^COMPOSE_PROJECT_NAME must be lower-case/);
});

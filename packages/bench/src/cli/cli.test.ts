import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { commandHelp } from './help.ts';
import { type CliFolder, CONFIG, cliFolder } from './test-cli.ts';
import { VERSION } from './version.ts';

test('the version is one line', () => {
  using folder = cliFolder();
  expect(folder.ssebench(['--version'])).toEqual({ status: 0, stdout: `ssebench ${VERSION}\n`, stderr: '' });
});

test('no command gets the help and status 1', () => {
  using folder = cliFolder();
  const { status, stdout, stderr } = folder.ssebench([]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(folder.ssebench(['--help']).stdout);
});

test('help goes to standard output with status 0, of every command', () => {
  using folder = cliFolder();
  for (const command of [['run'], ['images', 'base']]) {
    const { status, stdout, stderr } = folder.ssebench([...command, '-h']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(commandHelp()[command.join(' ')]);
  }
});

test.each([
  [['runn'], "error: unknown command 'runn'\n(Did you mean one of run, runs?)\n"],
  [['run', '--agent', 'dummy'], "error: required option '--task <id>' not specified\n"],
  [['gc', '--dryrun'], "error: unknown option '--dryrun'\n(Did you mean --dry-run?)\n"],
  [['runs', 'show'], "error: missing required argument 'run-id'\n"],
  [
    ['runs', 'show', '../x'],
    '<run-id>: "../x" is not allowed; must be 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit\n',
  ],
  [['build-case', '--jobs', 'many'], '--jobs: "many" is not allowed; must be a number from 1 to 64\n'],
])('%j makes no sense: status 2', (args, stderr) => {
  using folder = cliFolder();
  expect(folder.ssebench(args)).toEqual({ status: 2, stdout: '', stderr });
});

test('an engine that is not there is one line that names it and what to do', () => {
  using folder = cliFolder();
  const engine = {
    status: 1,
    stdout: '',
    stderr:
      'connect to the container engine: no container engine answers: unix://<dir>/no-engine.sock: there is no such socket; ' +
      'start Docker or Podman, or set DOCKER_HOST; "ssebench doctor" says more\n',
  };
  expect(folder.ssebench(['runs', 'list'])).toEqual(engine);
  expect(folder.ssebench(['gc'])).toEqual(engine);
  expect(folder.ssebench(['run', '--agent', 'reference', '--task', 'leak-1', '--local', 'data/set'])).toEqual(engine);
  expect(folder.ssebench(['runs', 'results']).stderr).toBe('results: holds no finished runs\n');
});

test('the doctor says that the engine is not there, and how to put it right', () => {
  using folder = cliFolder();
  const { status, stdout } = folder.ssebench(['doctor', '--json']);
  const { checks, missing_keys } = JSON.parse(stdout);
  expect(status).toBe(1);
  expect(checks).toContainEqual({
    name: 'Container engine',
    status: 'fail',
    detail: expect.stringContaining('no container engine answers'),
    fix: expect.stringContaining('DOCKER_HOST'),
  });
  expect(missing_keys).toEqual({ 'model-one': ['MAKER_KEY'], 'model-two': [] });
});

test('the tasks of a dataset are listed, and what is wrong with the others is told', () => {
  using folder = cliFolder({
    'data/set/dataset.yaml': 'version: set-v1\n',
    'data/set/torn/Dockerfile': 'FROM scratch\n',
  });
  const { status, stdout, stderr } = folder.ssebench(['tasks', 'list', '--local', 'data/set']);
  expect(stdout).toBe('TASK    LANGUAGE  PROJECT\nleak-1  c         leak\n');
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'data/set/torn/sse/config.yaml: no such file\n' });
});

test('the tasks as JSON name their images under the registry', () => {
  using folder = cliFolder({
    'data/set/dataset.yaml': 'version: set-v1\n',
    'data/set/leak-1/Dockerfile':
      'ARG SSEBENCH_REGISTRY=localhost/ssebench\nFROM $SSEBENCH_REGISTRY/base-generic-c:1.0.0\n',
    '.env': 'SSEBENCH_REGISTRY=example.org/lab\n',
  });
  expect(JSON.parse(folder.ssebench(['tasks', 'list', '--local', 'data/set', '--json']).stdout)).toEqual([
    {
      id: 'leak-1',
      language: 'c',
      project: 'leak',
      repository: 'https://example.org/leak',
      base: 'example.org/lab/base-generic-c:1.0.0',
      image: 'example.org/lab/case/set/leak-1:set-v1',
      arch: ['amd64'],
      checks: ['build', 'poc', 'function_test'],
    },
  ]);
});

test('bad arguments of a run end it before anything is made', () => {
  using folder = cliFolder();
  const run = ['run', '--agent', 'fixer', '--task', 'leak-1', '--local', 'data/set'];
  expect(folder.ssebench([...run, '--model', 'model-one', '--memory', '4x'])).toEqual({
    status: 2,
    stdout: '',
    stderr: '--memory: "4x" is not allowed; must be a size of at least 64m, such as 512m or 4g\n',
  });
  expect(folder.ssebench([...run, '--model', 'model-one', '--plugin', 'a', '--plugin', 'b'])).toEqual({
    status: 1,
    stdout: '',
    stderr: '--plugin: not in this version\n',
  });
  expect(folder.ssebench([...run, '--model', 'model-two'], { SSEBENCH_HOME: '/nowhere' })).toEqual({
    status: 1,
    stdout: '',
    stderr: 'SSEBENCH_HOME: /nowhere is not a directory\n',
  });
  expect(existsSync(join(folder.dir, 'results'))).toBe(false);
});

test('every problem of a config is listed with its line', () => {
  using folder = cliFolder();
  const config = CONFIG.replace('language: c', 'langauge: c')
    .replace('[pocs/a]', '[/abs]')
    .replace('project: leak', 'project: 7');
  folder.write('data/set/leak-1/sse/config.yaml', config);
  expect(folder.ssebench(['run', '--agent', 'reference', '--task', 'leak-1', '--local', 'data/set'])).toEqual({
    status: 1,
    stdout: '',
    stderr: [
      'data/set/leak-1/sse/config.yaml:1: language: missing, must be one of c, go, rust',
      'data/set/leak-1/sse/config.yaml:2: project: must be string, found number',
      'data/set/leak-1/sse/config.yaml:4: langauge: unknown key, did you mean "language"?',
      'data/set/leak-1/sse/config.yaml:14: files.poc[0]: must be relative to /ssebench, found "/abs"',
      '',
    ].join('\n'),
  });
});

/** A run of the command against an engine that takes connections and never answers. */
async function hangingCommand(folder: CliFolder) {
  const path = join(folder.dir, 'hanging.sock');
  const server = createServer().listen(path);
  const asked = once(server, 'connection');
  const child = folder.start(['runs', 'list'], { DOCKER_HOST: `unix://${path}` });
  await asked;
  return { child, [Symbol.dispose]: () => server.close() };
}

test('Ctrl-C ends a command that guards nothing with status 130', async () => {
  using folder = cliFolder();
  using command = await hangingCommand(folder);
  const stderr = text(command.child.stderr);
  command.child.kill('SIGINT');
  expect(await once(command.child, 'close')).toEqual([130, null]);
  expect(await stderr).toBe('Interrupted\n');
});

test('a reader that goes away does not change the status', async () => {
  using folder = cliFolder();
  const child = folder.start(['tasks', 'list', '--local', 'data/set']);
  child.stdout.destroy();
  const stderr = text(child.stderr);
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await stderr).toBe('');
});

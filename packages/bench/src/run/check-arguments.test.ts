import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../cli/errors.ts';
import { type CliFolder, CONFIG, cliFolder } from '../cli/test-cli.ts';
import { VERSION } from '../cli/version.ts';
import { loadSettings } from '../config/settings.ts';
import { checkGradeArguments, checkRunArguments, type World } from './check-arguments.ts';
import type { RunOptions } from './command-line.ts';

const SOUND: RunOptions = { agent: 'fixer', model: 'model-two', task: 'leak-1', local: 'data/set' };

/** What the checks say of `SOUND` with these options: the plan, or the lines and the status of the refusal. */
function check(
  folder: CliFolder,
  change: Partial<Record<keyof RunOptions, unknown>> = {},
  env: NodeJS.ProcessEnv = {},
) {
  try {
    return checkRunArguments({ ...SOUND, ...change } as RunOptions, worldOf(folder, env));
  } catch (error) {
    return refusal(folder, error);
  }
}

function refusal({ dir }: CliFolder, error: unknown) {
  if (!(error instanceof UserError)) throw error;
  return { status: error.exitStatus, lines: error.lines.map((line) => line.replaceAll(dir, '<dir>')) };
}

function worldOf({ dir }: CliFolder, env: NodeJS.ProcessEnv): World {
  return {
    home: dir,
    workspace: dir,
    settings: loadSettings(dir, env),
    cwd: dir,
    startedAt: new Date('2026-09-29T15:30:12.418Z'),
    random: new Uint8Array([0xa1, 0xb2, 0xc3]),
  };
}

test('a sound command line becomes a plan in which every default is filled in', () => {
  using folder = cliFolder();
  expect(check(folder)).toMatchObject({
    warnings: [],
    plan: {
      runId: '20260929-153012-a1b2c3',
      task: { id: 'leak-1', dataset: 'set', datasetVersion: null },
      agent: { folder: 'fixer', version: VERSION },
      settings: {
        agent: 'fixer',
        model: 'model-two',
        mode: 'sandbox',
        timeout: 3600,
        difficulty: 2,
        tool_layer: 'sandbox',
        egress: 'restricted',
        reference_run: false,
        plugins: [],
        budget: 10,
        grading: 'separate',
        check_timeout: 1800,
        grading_timeout: 1800 * 14 + 300,
      },
      limits: { memoryBytes: undefined, cpus: undefined, pids: undefined, diskBytes: undefined },
      resultsRoot: join(folder.dir, 'results'),
      extraCa: undefined,
    },
  });
});

test('sizes are powers of 1024, and the limit of grading follows from that of a check', () => {
  using folder = cliFolder();
  const options = { memory: '1.5g', disk: '512MiB', cpus: '0.5', pids: '8192', checkTimeout: '10', grading: 'same' };
  expect(check(folder, options)).toMatchObject({
    plan: {
      limits: { memoryBytes: 1.5 * 2 ** 30, diskBytes: 2 ** 29, cpus: 0.5, pids: 8192 },
      settings: { grading: 'same', check_timeout: 10, grading_timeout: 10 * 14 + 300 },
    },
  });
});

test.each([
  ['runId', 'latest', '--run-id: "latest" is not allowed; must not be "latest"'],
  [
    'runId',
    'a/b',
    '--run-id: "a/b" is not allowed; must be 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit',
  ],
  ['mode', 'box', '--mode: "box" is not allowed; must be one of sandbox, sidecar'],
  ['egress', 'none', '--egress: "none" is not allowed; must be one of restricted, open'],
  ['grading', 'both', '--grading: "both" is not allowed; must be one of separate, same'],
  [
    'difficulty',
    '5',
    '--difficulty: "5" is not allowed; must be one of 0 (FULL_ASSISTANCE), 1 (NO_INTENT_TEST), 2 (NO_FUTURE_TEST), 3 (BUILD_ONLY), 4 (NO_BUILD)',
  ],
  ['timeout', '1h', '--timeout: "1h" is not allowed; must be seconds, a whole number from 1 to 2000000'],
  ['checkTimeout', '0', '--check-timeout: "0" is not allowed; must be seconds, a whole number from 1 to 2000000'],
  [
    'gradingTimeout',
    '1.5',
    '--grading-timeout: "1.5" is not allowed; must be seconds, a whole number from 1 to 2000000',
  ],
  ['memory', 'lots', '--memory: "lots" is not allowed; must be a size of at least 64m, such as 512m or 4g'],
  ['disk', '1k', '--disk: "1k" is not allowed; must be a size of at least 64m, such as 512m or 4g'],
  [
    'snapshotInterval',
    '0',
    '--snapshot-interval: "0" is not allowed; must be off, or seconds, a whole number from 1 to 2000000',
  ],
  ['budget', '0', '--budget: "0" is not allowed; must be an amount of US dollars above 0, such as 2.50'],
  ['cpus', '0', '--cpus: "0" is not allowed; must be a number of CPUs of at least 0.01, such as 1.5'],
  ['pids', '100', '--pids: "100" is not allowed; must be a number from 4096 to 4194304'],
])('%s %s is of the wrong form: status 2', (option, value, message) => {
  using folder = cliFolder();
  expect(check(folder, { [option]: value })).toEqual({ status: 2, lines: [message] });
});

test.each([
  ['backend', 'kubernetes', '--backend'],
  ['toolLayer', 'sandbox', '--tool-layer'],
  ['plugin', ['artifact'], '--plugin'],
  ['mode', 'sidecar', '--mode sidecar'],
] as const)('%s %s answers that it is not in this version', (option, value, named) => {
  using folder = cliFolder();
  expect(check(folder, { [option]: value })).toEqual({ status: 1, lines: [`${named}: not in this version`] });
});

test('where a task comes from, and whether its images are built, is said once', () => {
  using folder = cliFolder();
  expect(check(folder, { catalog: 'x.json' })).toEqual({
    status: 2,
    lines: ['--local and --catalog exclude each other'],
  });
  expect(check(folder, { prebuilt: true })).toEqual({
    status: 1,
    lines: ['--prebuilt and --local exclude each other: its image is built from the folder'],
  });
  const catalog = { local: undefined, catalog: 'x.json' };
  expect(check(folder, { ...catalog, prebuilt: true, build: true })).toEqual({
    status: 1,
    lines: ['--prebuilt and --build exclude each other'],
  });
});

test.each([
  [
    'no model',
    { model: undefined },
    '--model is missing: every agent but "reference" needs one; available: model-one, model-two',
  ],
  [
    'no dataset',
    { local: undefined },
    '--local is missing: name the dataset folder that holds the task, such as datasets/starter',
  ],
  ['a dataset that is not there', { local: 'data/sets' }, '<dir>/data/sets: no such dataset folder'],
  [
    'an unknown task',
    { task: 'leak-2' },
    '<dir>/data/set: unknown task "leak-2", did you mean "leak-1"? (available: leak-1)',
  ],
  [
    'a task outside the dataset',
    { task: '../set/leak-1' },
    '<dir>/data/set: unknown task "../set/leak-1"; available: leak-1',
  ],
  [
    'an unknown agent',
    { agent: 'fixr' },
    'unknown agent "fixr", did you mean "fixer"? (available: dummy, fixer, reference)',
  ],
  [
    'an agent outside the agents',
    { agent: '../agents/fixer' },
    'unknown agent "../agents/fixer"; available: dummy, fixer, reference',
  ],
  [
    'an unknown model',
    { model: 'modl-two' },
    'unknown model "modl-two", did you mean "model-two"? (available: model-one, model-two)',
  ],
  [
    'a model without its key',
    { model: 'model-one' },
    'the model "model-one" needs MAKER_KEY: set it in <dir>/.env or in the environment',
  ],
  ['a CA that is not there', { model: 'model-two', extraCa: 'ca.pem' }, '--extra-ca: <dir>/ca.pem: no such file'],
] as const)('%s: one line, status 1, nothing made', (_, options, message) => {
  using folder = cliFolder();
  expect(check(folder, options)).toEqual({ status: 1, lines: [message] });
});

test('the first thing that is wrong is told, in the documented order', () => {
  using folder = cliFolder();
  const wrong = { runId: 'no/no', toolLayer: 'no', task: 'no', agent: 'no', model: 'no' };
  const first = (change: Partial<RunOptions>) => check(folder, { ...wrong, ...change });
  expect(first({})).toMatchObject({ lines: [expect.stringMatching(/^--run-id: /)] });
  delete (wrong as RunOptions).runId;
  expect(first({})).toMatchObject({ lines: [expect.stringMatching(/^--tool-layer: /)] });
  delete (wrong as RunOptions).toolLayer;
  expect(first({})).toMatchObject({ lines: [expect.stringContaining('unknown task')] });
  expect(first({ task: 'leak-1' })).toMatchObject({ lines: [expect.stringContaining('unknown agent')] });
  expect(first({ task: 'leak-1', agent: 'fixer' })).toMatchObject({
    lines: [expect.stringContaining('unknown model')],
  });
});

test('a key counts in the environment and in .env, not when it is empty; keyless agents need none', () => {
  using folder = cliFolder();
  const needed = { lines: [expect.stringContaining('needs MAKER_KEY')] };
  const sound = { plan: { settings: { model: 'model-one' } } };
  expect(check(folder, { model: 'model-one' }, { MAKER_KEY: '  ' })).toMatchObject(needed);
  expect(check(folder, { model: 'model-one' }, { MAKER_KEY: 'k' })).toMatchObject(sound);
  expect(check(folder, { model: 'model-one', agent: 'dummy' })).toMatchObject(sound);
  folder.write('.env', 'MAKER_KEY="k"\n');
  expect(check(folder, { model: 'model-one' })).toMatchObject(sound);
});

test.each([
  [{}, 30],
  [{ snapshotInterval: '90' }, 90],
  [{ snapshotInterval: 'off' }, null],
])('with %j the patch is kept every so many seconds: %j', (options, snapshotInterval) => {
  using folder = cliFolder();
  expect(check(folder, { agent: 'dummy', ...options })).toMatchObject({ plan: { snapshotInterval } });
});

test('an agent that calls no model has no budget, and models may use what was allowed', () => {
  using folder = cliFolder();
  expect(check(folder, { agent: 'dummy', budget: '5' })).toMatchObject({ plan: { settings: { budget: null } } });
  const options = { model: 'model-two', budget: '2.50', allow: ['web_search', 'mcp'] };
  expect(check(folder, options)).toMatchObject({
    plan: { settings: { budget: 2.5 }, allowed: ['web_search', 'mcp'], gateway: 'embedded' },
  });
  expect(check(folder, { ...options, allow: ['everything'] })).toMatchObject({
    status: 2,
    lines: [expect.stringMatching(/^--allow: "everything" is not allowed; must be one of web_search, /)],
  });
});

test('a model that could not be paid for, or not be reached, is refused before anything starts', () => {
  const without = (text: string) => ({ 'models/all.yaml': `- model_name: model-two\n  litellm_params: ${text}\n` });
  using unpriced = cliFolder(without('{model: maker/two, api_base: "https://maker.example/v1"}'));
  expect(check(unpriced)).toMatchObject({
    status: 1,
    lines: [expect.stringContaining('no price is known for maker/two')],
  });
  using unserved = cliFolder(without('{model: maker/two}'));
  expect(check(unserved)).toMatchObject({ status: 1, lines: [expect.stringContaining('provider "maker" is none of')] });
  expect(check(unserved, { agent: 'dummy' })).toHaveProperty('plan');
  expect(check(unserved, {}, { LITELLM_BASE_URL: 'http://127.0.0.1:4000' })).toMatchObject({
    plan: { gateway: 'litellm' },
  });
});

test('a reference run ignores its model with a warning, and needs a reference patch', () => {
  using folder = cliFolder();
  expect(check(folder, { agent: 'reference', model: 'model-one' })).toMatchObject({
    warnings: ['the agent "reference" uses no model: --model model-one is ignored'],
    plan: { settings: { model: 'none', reference_run: true } },
  });
  folder.write('data/set/leak-1/sse/config.yaml', CONFIG.replace('  patch: diffs/patch.diff\n', ''));
  expect(check(folder, { agent: 'reference', model: undefined })).toEqual({
    status: 1,
    lines: ['the task "leak-1" has no reference patch: files.patch is not set in its config'],
  });
});

test('a run ID in use is refused, also by a run that never ended', () => {
  using folder = cliFolder();
  folder.write('results/leak-1/model-two/fixer/one/result.json', '');
  symlinkSync('../../../.live/gone', join(folder.dir, 'results/leak-1/model-two/fixer/two'));
  for (const runId of ['one', 'two']) {
    expect(check(folder, { runId })).toEqual({
      status: 1,
      lines: [`the run directory <dir>/results/leak-1/model-two/fixer/${runId} exists; use another --run-id`],
    });
  }
});

test.each([
  ['no config', 'data/set/leak-1/sse/config.yaml'],
  ['no Dockerfile', 'data/set/leak-1/Dockerfile'],
  ['no manifest of the agent', 'agents/fixer/agent.yaml'],
])('%s: the file is named', (_, missing) => {
  using folder = cliFolder();
  folder.remove(missing);
  expect(check(folder)).toEqual({ status: 1, lines: [`<dir>/${missing}: no such file`] });
});

test('an agent is not given a model that the gateway can not serve in its protocol', () => {
  using folder = cliFolder({ 'agents/fixer/agent.yaml': 'name: fixer\nprotocols: [gemini]\n' });
  const refused = { status: 1, lines: [expect.stringContaining('the agent "fixer" speaks gemini, and the model')] };
  expect(check(folder)).toEqual(refused);
  expect(check(folder, {}, { LITELLM_BASE_URL: 'http://127.0.0.1:4000' })).toHaveProperty('plan');
});

test("a config of another task's is refused with both names", () => {
  using folder = cliFolder();
  folder.write('data/set/leak-1/sse/config.yaml', CONFIG.replace('id: leak-1', 'id: leak-9'));
  const message = 'id: must be the folder\'s name "leak-1", is "leak-9"';
  expect(check(folder)).toEqual({ status: 1, lines: [`<dir>/data/set/leak-1/sse/config.yaml:1: ${message}`] });
});

test.each([
  ['SSEBENCH_EGRESS', 'all', 'SSEBENCH_EGRESS: "all" is not allowed; must be one of restricted, open'],
  ['SSEBENCH_BACKEND', 'kubernetes', 'SSEBENCH_BACKEND=kubernetes: not in this version'],
  ['SSEBENCH_PREBUILT', '1', 'SSEBENCH_PREBUILT and --local exclude each other: its image is built from the folder'],
  ['SSEBENCH_EXTRA_CA', 'ca.pem', 'SSEBENCH_EXTRA_CA: <dir>/ca.pem: no such file'],
])('the setting %s=%s is told by its name', (name, value, message) => {
  using folder = cliFolder();
  expect(check(folder, {}, { [name]: value })).toEqual({ status: 1, lines: [message] });
});

test('what has to be built from its folder is so whatever the setting says', () => {
  using folder = cliFolder();
  expect(check(folder, { prebuilt: false }, { SSEBENCH_PREBUILT: '1' })).toMatchObject({ plan: { prebuilt: false } });
});

test('grade needs a patch that can be read, and records that nobody worked', () => {
  using folder = cliFolder();
  const grade = () =>
    checkGradeArguments({ task: 'leak-1', local: 'data/set', patch: 'fix.diff' }, worldOf(folder, {}));
  expect(() => grade()).toThrow(`--patch: ${folder.dir}/fix.diff: no such file`);
  folder.write('fix.diff', '');
  expect(grade()).toMatchObject({
    warnings: [],
    plan: {
      patch: join(folder.dir, 'fix.diff'),
      settings: { agent: 'patch', model: 'none', reference_run: false },
    },
  });
});

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { scanResults } from './scan.ts';

const summary = (more: object) => JSON.stringify({ task: { id: 'leak-1' }, ...more });

test('a results folder that is not there has no runs', () => {
  expect(scanResults('/nowhere')).toEqual({ finished: [], unfinished: [] });
});

test('runs are found at any depth, the newest first, and what is no run is passed over', () => {
  using folder = cliFolder({
    'results/leak-1/maker/one/fixer/b/summary.json': summary({
      config: { agent: 'fixer', model: 'maker/one', mode: 'sandbox', reference_run: false },
      patch_result: { status: 'failed' },
      run_id: 'b',
      started_at: '2026-01-02T00:00:00.000000Z',
    }),
    'results/leak-1/maker/one/fixer/b/archive/summary.json': summary({ run_id: 'planted' }),
    'results/leak-1/none/reference/c/summary.json': summary({ started_at: '2026-01-03T00:00:00.000000Z' }),
    'results/leak-1/none/reference/old/summary.json': summary({}),
    'results/leak-1/none/reference/bad-id/summary.json': summary({ run_id: 'a/b' }),
    'results/leak-1/none/reference/torn/summary.json': '{"task": {',
    'results/leak-1/none/reference/list/summary.json': '[]',
    'results/leak-1/none/reference/no-task/summary.json': '{}',
    'results/leak-1/none/reference/huge/summary.json': `${' '.repeat(8 * 2 ** 20)}${summary({})}`,
    'results/leak-1-fixer-old.json': summary({}),
  });
  symlinkSync('c', join(folder.dir, 'results/leak-1/none/reference/latest'));
  const { finished, unfinished } = scanResults(join(folder.dir, 'results'));
  expect(unfinished).toEqual([]);
  expect(finished.map(({ run_id }) => run_id)).toEqual(['c', 'b', 'old']);
  expect(finished[1]).toEqual({
    run_id: 'b',
    task: 'leak-1',
    model: 'maker/one',
    agent: 'fixer',
    mode: 'sandbox',
    reference_run: false,
    status: 'failed',
    solved: false,
    started_at: '2026-01-02T00:00:00.000000Z',
    dir: join(folder.dir, 'results/leak-1/maker/one/fixer/b'),
  });
});

test.each([
  ['passed', { strict: { status: 'passed' } }, true],
  ['passed', { strict: { status: 'not_needed' } }, true],
  ['passed', { strict: { status: 'failed' } }, false],
  ['passed', { strict: { status: 'unclear' } }, false],
  ['passed', null, false],
  ['passed', 'of another kind', false],
  ['passed', undefined, null],
  ['failed', undefined, false],
  ['error', { strict: { status: 'not_needed' } }, false],
])('graded %s with integrity %j, a run is solved: %j', (status, integrity, solved) => {
  const text = summary({ patch_result: { status }, ...(integrity === undefined ? {} : { integrity }) });
  using folder = cliFolder({ 'results/leak-1/none/reference/a/summary.json': text });
  expect(scanResults(join(folder.dir, 'results')).finished).toMatchObject([{ status, solved }]);
});

test('a run that goes on is found by its link, one of another tool by its result', () => {
  using folder = cliFolder({
    'results/.live/0a1b2c3d/result.json': '{}',
    'results/leak-1/model-one/fixer/killed/result.json': '',
  });
  const agent = join(folder.dir, 'results/leak-1/maker/one/fixer');
  mkdirSync(agent, { recursive: true });
  symlinkSync('../../../../.live/0a1b2c3d', join(agent, 'live'));
  symlinkSync('live', join(agent, 'latest'));
  symlinkSync('/etc', join(agent, 'elsewhere'));
  const { finished, unfinished } = scanResults(join(folder.dir, 'results'));
  expect(finished).toEqual([]);
  expect(unfinished).toEqual([
    { run_id: 'live', task: 'leak-1', model: 'maker/one', agent: 'fixer', dir: join(agent, 'live') },
    {
      run_id: 'killed',
      task: 'leak-1',
      model: 'model-one',
      agent: 'fixer',
      dir: join(folder.dir, 'results/leak-1/model-one/fixer/killed'),
    },
  ]);
});

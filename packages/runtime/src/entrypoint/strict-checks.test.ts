import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeContainer } from '../testing/container.ts';

const FUNCTION = 'POST /tool/bencher?action=function_test';
const STRICT_SILENCE = {
  'POST /prepare_grading': {
    body: { success: true, touched_tests: ['Makefile'], touched_tests_total: 1, put_back: 1 },
  },
  [FUNCTION]: [{ body: { code: 0, stdout: '', stderr: '' } }, 'silence' as const],
};

let container: FakeContainer;
beforeEach(() => {
  container = new FakeContainer();
});
afterEach(() => container.remove());

/** Resolves when the second functional test, the strict one, runs. */
async function strictChecksRun(): Promise<void> {
  const checks = () => container.routes.filter((route) => route === FUNCTION);
  await vi.waitFor(() => expect(checks()).toHaveLength(2), { timeout: 10_000 });
}

function expectThatTheGradeStands(): void {
  expect(container.json('result.json')).toMatchObject({ patch_result: { status: 'passed' } });
  expect(container.json('integrity.json')).toMatchObject({
    touched_tests: ['Makefile'],
    strict: { status: 'unclear', detail: 'the strict checks did not come to their end' },
  });
  expect(container.json('grade-fault.json')).toBeUndefined();
}

test('an evaluator that is killed in the strict checks leaves the grade that it wrote before them', async () => {
  const ended = container.run(['--mode', 'grade', '--'], STRICT_SILENCE);
  await strictChecksRun();
  container.killEvaluator();
  expect(await ended).toBe(0);
  expectThatTheGradeStands();
});

test('a container that is stopped in the strict checks leaves it, too', async () => {
  const ended = container.run(['--mode', 'grade', '--'], STRICT_SILENCE);
  await strictChecksRun();
  container.signal('SIGTERM');
  await ended;
  expectThatTheGradeStands();
});

test("in the agent's container, too, the agent's status stands", async () => {
  const ended = container.run(['--mode', 'same', '--', 'sh', '-c', 'exit 3'], STRICT_SILENCE);
  await strictChecksRun();
  container.killEvaluator();
  expect(await ended).toBe(3);
  expectThatTheGradeStands();
  expect(container.json('work.json')).toMatchObject({ fault: null });
});

import { ROUTES } from '@ssebench/contracts/daemon-api';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

describe.runIf(IS_ROOT)('a task graded through the daemon', () => {
  test('build, PoC and tests of the unpatched project come out as its author says', async () => {
    await using daemon = await TestDaemon.start({ difficulty: 0 });
    expect((await daemon.admin('/admin/agent_exited', {})).json).toEqual({ success: true });
    expect((await daemon.admin('/prepare_grading', {})).json).toMatchObject({ success: true });
    const build = await daemon.graded('build');
    expect(build.json).toMatchObject({ code: 0, outcome: 'exited', build: 'b1' });
    const [poc] = ((await daemon.admin('/project')).json as { poc: string[] }).poc;
    expect((await daemon.graded('run_poc', { poc })).json).toMatchObject({ code: 1, outcome: 'exited' });
    expect((await daemon.graded('function_test')).json).toMatchObject({ code: 0 });
    expect((await daemon.graded('intent_test')).json).toMatchObject({ code: 1 });
  });

  test('every route of the contract is served, and nothing else', async () => {
    await using daemon = await TestDaemon.start();
    for (const { path, method } of ROUTES.filter((route) => route.answer !== null)) {
      const answer = await daemon.admin(path, method === 'POST' ? {} : undefined);
      expect([path, answer.status, answer.json]).not.toMatchObject([path, 404, {}]);
    }
    expect((await daemon.admin('/nothing')).json).toEqual({
      code: 'not_found',
      error: expect.stringContaining('/nothing'),
    });
  });
});

import { chmodSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

const OCTETS = { accept: 'application/octet-stream' };
const FIX = '--- a/program.txt\n+++ b/program.txt\n@@ -1 +1 @@\n-bug\n+fixed\n';

describe.runIf(IS_ROOT)("the agent's patch", () => {
  test('the live diff is text when it can be, base64 when not, and bytes for those who ask', async () => {
    await using daemon = await TestDaemon.start();
    expect((await daemon.agent('/diff')).json).toEqual({ diff: '', encoding: 'utf8', bytes: 0 });
    writeFileSync(daemon.path('source/program.txt'), 'fixed\n');
    const text = await daemon.agent('/diff', undefined, OCTETS);
    expect(text.bytes.toString()).toContain('+fixed\n');
    expect((await daemon.http('/diff')).json).toEqual({
      diff: text.bytes.toString(),
      encoding: 'utf8',
      bytes: text.bytes.length,
    });
    writeFileSync(daemon.path('source/program.txt'), Buffer.from([0xff, 0x0a]));
    const bytes = await daemon.agent('/diff', undefined, OCTETS);
    expect(bytes.bytes.includes(0xff)).toBe(true);
    expect((await daemon.agent('/diff')).json).toEqual({
      diff: bytes.bytes.toString('base64'),
      encoding: 'base64',
      bytes: bytes.bytes.length,
    });
    expect((await daemon.agent('/files')).json).toEqual({
      files: [{ path: 'program.txt', status: 'modified', additions: 1, deletions: 1 }],
    });
  });

  test('it is captured once, and applied once', async () => {
    await using daemon = await TestDaemon.start();
    writeFileSync(daemon.path('source/program.txt'), 'fixed\n');
    symlinkSync('program.txt', daemon.path('source/link'));
    const report = (await daemon.admin('/admin/capture', {})).json;
    expect(report).toMatchObject({ patch_bytes: readFileSync(daemon.path('results/final.patch')).length, skipped: [] });
    writeFileSync(daemon.path('source/program.txt'), 'too late\n');
    expect((await daemon.admin('/admin/capture', {})).json).toEqual(report);
    for (let time = 0; time < 2; time += 1) {
      expect((await daemon.admin('/prepare_grading', {})).json).toMatchObject({ success: true });
    }
    expect(readFileSync(daemon.path('repo/program.txt'), 'utf8')).toBe('fixed\n');
    expect(lstatSync(daemon.path('repo/link')).isSymbolicLink()).toBe(true);
    expect((await daemon.host('/final_diff')).json).toMatchObject({ diff: expect.stringContaining('+fixed\n') });
    expect(readFileSync(daemon.path('results/commits.log'), 'utf8')).toBe('');
    expect((await daemon.graded('intent_test')).json).toMatchObject({ code: 0 });
  });

  test('what the agent asked to see does not hold its capture up', async () => {
    await using daemon = await TestDaemon.start();
    const asked = Array.from({ length: 200 }, () => daemon.agent('/diff'));
    const watched = daemon.host('/files');
    await daemon.agent('/version');
    expect((await daemon.admin('/admin/capture', {})).status).toBe(200);
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 403).length).toBeGreaterThan(100);
    expect((await watched).status).toBe(200);
    expect((await daemon.agent('/diff')).status).toBe(200);
  });

  test('capturing ends the agent phase first', async () => {
    await using daemon = await TestDaemon.start();
    await daemon.bash('(while sleep 0.05; do date +%s%N > stamp; done) > /dev/null 2>&1 &');
    expect((await daemon.admin('/admin/capture', {})).status).toBe(200);
    const stamp = readFileSync(daemon.path('source/stamp'));
    expect((await daemon.bash('true')).json).toHaveProperty('code', 'phase_ended');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(readFileSync(daemon.path('source/stamp'))).toEqual(stamp);
  });

  test('a given patch is applied to the copy, and the agent-facing listeners do not exist', async () => {
    await using daemon = await TestDaemon.start({ given: FIX });
    expect((await daemon.admin('/prepare_grading', {})).status).toBe(200);
    expect((await daemon.graded('intent_test')).json).toMatchObject({ code: 0 });
    expect(daemon.httpPort).toBe(0);
  });

  test('a patch that does not apply has a code of its own, as often as it is tried', async () => {
    await using daemon = await TestDaemon.start({ given: FIX.replace('-bug', '-other') });
    for (let time = 0; time < 2; time += 1) {
      expect((await daemon.admin('/prepare_grading', {})).json).toEqual({
        code: 'patch_apply_failed',
        error: expect.stringMatching(/^git apply failed: /),
      });
    }
  });

  test('an empty patch grades the project as it is', async () => {
    await using daemon = await TestDaemon.start({ given: '' });
    expect((await daemon.admin('/prepare_grading', {})).status).toBe(200);
    expect((await daemon.graded('intent_test')).json).toMatchObject({ code: 1 });
  });

  test('a baseline that is not there is said by its code', async () => {
    await using daemon = await TestDaemon.start();
    rmSync(daemon.config.baseline, { recursive: true });
    expect((await daemon.agent('/diff')).json).toHaveProperty('code', 'baseline_missing');
    expect((await daemon.admin('/admin/capture', {})).json).toHaveProperty('code', 'baseline_missing');
  });

  test('the reference patch is for the admin socket, and empty where there is none', async () => {
    await using daemon = await TestDaemon.start();
    expect((await daemon.admin('/reference/patch')).json).toMatchObject({ diff: 'the reference patch\n' });
    rmSync(daemon.path('task/diffs'), { recursive: true });
    expect((await daemon.admin('/reference/patch')).json).toEqual({ diff: '', encoding: 'utf8', bytes: 0 });
  });

  test('unreadable files of the agent are in the patch', async () => {
    await using daemon = await TestDaemon.start();
    writeFileSync(daemon.path('source/program.txt'), 'closed\n');
    chmodSync(daemon.path('source/program.txt'), 0o000);
    await daemon.admin('/admin/capture', {});
    expect((await daemon.admin('/final_diff')).json).toMatchObject({ diff: expect.stringContaining('+closed') });
  });
});

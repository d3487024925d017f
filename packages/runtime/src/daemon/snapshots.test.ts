import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { SNAPSHOT_FILES, SnapshotLine } from '@ssebench/contracts/snapshots';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon } from './test-daemon.ts';

const STARTED = { type: 'step_started', at: new Date().toISOString(), step: 'agent' };
const WAIT = { timeout: 20_000, interval: 20 };

function linesOf(daemon: TestDaemon): SnapshotLine[] {
  const text = readFileSync(daemon.path(`results/${SNAPSHOT_FILES.index}`), 'utf8');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => SnapshotLine.parse(JSON.parse(line)));
}

const diffs = (daemon: TestDaemon) => daemon.results().filter((name) => name.endsWith('s.diff'));

async function started(): Promise<TestDaemon> {
  const daemon = await TestDaemon.start({ snapshotInterval: 1 });
  await daemon.admin('/admin/events', STARTED);
  return daemon;
}

describe.runIf(IS_ROOT)('snapshots of the patch', () => {
  test('are kept when it has changed, as the live diff has it, until the phase ends', async () => {
    await using daemon = await started();
    const live = async () => (await daemon.agent('/diff', undefined, { accept: 'application/octet-stream' })).bytes;
    const seen = async (count: number) => {
      const patch = await live();
      await expect.poll(() => linesOf(daemon).length, WAIT).toBe(count);
      const line = linesOf(daemon)[count - 1];
      if (!line || !('file' in line)) throw new Error('no snapshot');
      expect(line).toMatchObject({ bytes: patch.length, file: expect.stringMatching(/^000\d-\d+s\.diff$/) });
      expect(readFileSync(daemon.path(`results/snapshot-${line.file}`))).toEqual(patch);
      return line;
    };
    writeFileSync(daemon.path('source/program.txt'), 'diff --git a/x b/x\n');
    writeFileSync(daemon.path('source/new'), 'x');
    const first = await seen(1);
    expect(first.files).toBe(2);
    expect(first.seconds).toBeGreaterThanOrEqual(1);
    writeFileSync(daemon.path('source/new'), 'y');
    const second = await seen(2);
    expect(second.seconds).toBeGreaterThan(first.seconds);
    await daemon.admin('/admin/agent_exited', {});
    writeFileSync(daemon.path('source/new'), 'z');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(diffs(daemon)).toHaveLength(2);
    expect(statSync(daemon.path(`results/snapshot-${first.file}`)).mode & 0o777).toBe(0o644);
  });

  test('one that can not be taken is noted, and changes nothing of the grade', async () => {
    await using daemon = await started();
    for (const name of ['one', 'two']) writeFileSync(daemon.path(`source/${name}`), 'a line\n'.repeat(1_300_000));
    await expect.poll(() => linesOf(daemon).length, WAIT).toBeGreaterThan(0);
    expect(linesOf(daemon)[0]).toMatchObject({ problem: expect.stringContaining('bytes of output') });
    writeFileSync(daemon.path('source/two'), 'fixed\n');
    expect((await daemon.admin('/admin/capture', {})).status).toBe(200);
    expect(readFileSync(daemon.path('results/final.patch'), 'utf8')).toContain('+fixed\n');
  });

  test('none is taken before the agent has started, and none of a tree that did not change', async () => {
    await using early = await TestDaemon.start({ snapshotInterval: 1 });
    await using idle = await started();
    writeFileSync(early.path('source/program.txt'), 'x\n');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    for (const daemon of [early, idle]) {
      expect(daemon.results()).toEqual([SNAPSHOT_FILES.index]);
      expect(linesOf(daemon)).toEqual([]);
    }
  });
});

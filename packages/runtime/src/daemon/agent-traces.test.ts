import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AGENT, IS_ROOT, RUNNER, TestDaemon } from './test-daemon.ts';

/** A directory of the test's that belongs to nobody else, or a file. */
function make(path: string, mode: number, owner = { uid: 0, gid: 0 }, content?: string): void {
  if (content === undefined) mkdirSync(path);
  else writeFileSync(path, content);
  chownSync(path, owner.uid, owner.gid);
  chmodSync(path, mode);
}

describe.runIf(IS_ROOT)('in a container that is graded in, too', () => {
  test('scripts find the graded copy at the path of the project, and nothing that the agent ignored', async () => {
    await using daemon = await TestDaemon.start({
      task: {
        'scripts/test.sh': '#!/bin/sh\ncat "$(dirname "$HOME")/../source/program.txt"; ls "$HOME/../../source"\n',
      },
    });
    mkdirSync(daemon.path('source/ignored'));
    writeFileSync(daemon.path('source/ignored/secret'), 'x');
    writeFileSync(daemon.path('source/program.txt'), 'fixed\n');
    chmodSync(daemon.path('source'), 0o711);
    expect((await daemon.admin('/prepare_grading', {})).status).toBe(200);
    expect((await daemon.graded('function_test')).json).toMatchObject({
      code: 0,
      stdout: 'fixed\nprogram.txt\ntests.sh\n',
    });
    expect(readlinkSync(daemon.path('repo'))).toBe(daemon.path('source'));
    expect(lstatSync(daemon.path('source'))).toMatchObject({ uid: 0, mode: 0o40755 });
  });

  test("the agent's tree is kept for its archive, with owners and times, where the runner can't come", async () => {
    await using daemon = await TestDaemon.start();
    mkdirSync(daemon.path('source/ignored'));
    symlinkSync('nowhere', daemon.path('source/ignored/link'));
    lchownSync(daemon.path('source/ignored/link'), AGENT.uid, AGENT.gid);
    const before = lstatSync(daemon.path('source/program.txt'));
    await daemon.admin('/prepare_grading', {});
    const kept = lstatSync(daemon.path('kept/tree/program.txt'));
    expect([kept.uid, kept.mode, kept.mtimeMs]).toEqual([before.uid, before.mode, before.mtimeMs]);
    expect(readlinkSync(daemon.path('kept/tree/ignored/link'))).toBe('nowhere');
    expect(lstatSync(daemon.path('kept'))).toMatchObject({ uid: 0, gid: AGENT.gid, mode: 0o40710 });
    expect((await daemon.agent('/files')).json).toEqual({ files: [] });
    expect(realpathSync(daemon.path('repo'))).toBe(daemon.path('source'));
  });

  test('what else the agent could write is removed or closed, whoever owns what is beside it', async () => {
    await using daemon = await TestDaemon.start();
    const at = (name: string) => daemon.path(name);
    make(at('shared/mine'), 0o777, AGENT);
    make(at('shared/mine/deep'), 0o644, RUNNER, 'x');
    make(at('shared/root'), 0o644, undefined, 'stays');
    make(at('home'), 0o755, AGENT);
    make(at('home/marker'), 0o644, AGENT, 'x');
    make(at('spool'), 0o755);
    make(at('spool/open'), 0o1777);
    make(at('spool/open/marker'), 0o644, AGENT, 'x');
    make(at('spool/open/root'), 0o644, undefined, 'stays');
    await daemon.admin('/prepare_grading', {});
    expect(readdirSync(at('shared'))).toEqual(['root']);
    expect(readdirSync(at('spool/open'))).toEqual(['root']);
    expect(lstatSync(at('home'))).toMatchObject({ uid: 0, mode: 0o40700 });
    expect(existsSync(at('archive'))).toBe(true);
    expect(readFileSync(at('shared/root'), 'utf8')).toBe('stays');
  });

  test('a container that only grades has no agent, and nothing is touched', async () => {
    await using daemon = await TestDaemon.start({ given: '' });
    make(daemon.path('shared/other'), 0o644, AGENT, 'x');
    expect((await daemon.admin('/prepare_grading', {})).status).toBe(200);
    expect(existsSync(daemon.path('kept'))).toBe(false);
    expect(readdirSync(daemon.path('shared'))).toEqual(['other']);
  });
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '@ssebench/contracts/faults';
import { describe, expect, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { captureTree, changedFiles, liveDiff } from './capture.ts';
import { contentOf, TreeFixture } from './tree-fixture.ts';

const project = () =>
  TreeFixture.make((write) => {
    write.file('main.c', 'int main(void) { return 1; }\n');
    write.file('lib/a.c', 'a\n');
    write.file('lib/b.c', 'b\n');
    write.file('crlf.txt', 'one\r\ntwo\r\n');
    write.file('.gitignore', '*.o\nbuild/\n');
  });

/** Captures, applies to the clean copy, and gives what was skipped. */
async function roundTrip(fixture: TreeFixture) {
  const { patchPath, report } = await captureTree(fixture.capture);
  expect(await applyPatch({ patchPath, repo: fixture.clean })).toEqual({ applied: true });
  return {
    patch: readFileSync(patchPath, 'latin1'),
    skipped: Object.fromEntries(report.skipped.map((s) => [s.path, s.reason])),
  };
}

function inTree(fixture: TreeFixture, program: string, ...args: string[]): void {
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  execFileSync(program, args, {
    cwd: fixture.tree,
    env: { PATH: process.env['PATH'], HOME: fixture.root, ...identity },
    stdio: 'ignore',
    ...fixture.capture.account,
  });
  fixture.giveToAgent();
}

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof FaultError ? error.fault : Promise.reject(error)),
  );

describe('what the patch holds', () => {
  test('an unchanged tree gives an empty patch, which applies', async () => {
    await using fixture = await project();
    const { patchPath, report } = await captureTree(fixture.capture);
    expect(report).toMatchObject({ patch_bytes: 0, skipped: [] });
    expect(await applyPatch({ patchPath, repo: fixture.clean })).toEqual({ applied: true });
  });

  test('ignored files are left out, also when the agent ignores them, and tracked ones never are', async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.file('main.o', 'object');
      write.file('build/x', 'built');
      write.file('extra.log', 'log');
      write.file('.gitignore', '*.o\nbuild/\n*.log\nmain.c\n');
      write.file('main.c', 'int main(void) { return 0; }\n');
    });
    await roundTrip(fixture);
    expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree, /\.o$|^build|\.log$/));
    expect(contentOf(fixture.clean)['main.c']).toContain('return 0');
  });

  test('attributes that convert, filter or hide change nothing', async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.file('.gitattributes', '* text=auto ident filter=evil diff=evil working-tree-encoding=UTF-16\n*.c -diff\n');
      write.file('crlf.txt', 'one\r\n2\r\n$Id: x$\n');
      write.file('main.c', Buffer.from([0xff, 0x00, 0x0d, 0x0a]));
    });
    await roundTrip(fixture);
    expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree));
  });

  test("the agent's repository is not asked: settings, hooks, index flags, history, or none at all", async () => {
    await using fixture = await project();
    inTree(fixture, 'git', 'init', '-q');
    inTree(fixture, 'git', 'add', '-A');
    inTree(fixture, 'git', 'commit', '-qm', 'all');
    const bait = join(fixture.root, 'bait');
    inTree(fixture, 'git', 'config', 'core.fsmonitor', `touch ${bait};`);
    inTree(fixture, 'git', 'config', 'core.worktree', '/');
    inTree(fixture, 'git', 'config', 'diff.external', `touch ${bait};`);
    fixture.edit((write) => write.file('lib/a.c', 'changed\n'));
    writeFileSync(join(fixture.tree, '.git/info/exclude'), '*\n');
    writeFileSync(join(fixture.tree, '.git/HEAD'), 'nonsense');
    expect((await roundTrip(fixture)).patch).toContain('+changed');
    expect(readdirSync(fixture.root)).not.toContain('bait');
  });
});

describe('what git can not represent is left out and said', () => {
  test('FIFOs, in place of tracked files too, and in place of rule files', async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.remove('lib/a.c');
      write.file('new/x', 'x');
    });
    inTree(fixture, '/usr/bin/mkfifo', 'lib/a.c', 'pipe', 'new/.gitignore', 'lib/.gitattributes', '.gitmodules');
    const { skipped } = await roundTrip(fixture);
    expect(skipped).toEqual({
      'lib/a.c': 'special_file',
      pipe: 'special_file',
      'new/.gitignore': 'special_file',
      'lib/.gitattributes': 'special_file',
      '.gitmodules': 'special_file',
    });
    expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree, /^pipe$|a\.c$/));
  });

  test('FIFOs in place of rule files do not hold up those who look while the agent works', async () => {
    await using fixture = await project();
    fixture.edit((write) => write.file('new/x', 'x\n'));
    const fifos = ['.gitmodules', 'lib/.gitattributes', 'new/.gitignore'];
    inTree(fixture, '/usr/bin/mkfifo', ...fifos);
    const { report } = await liveDiff({ ...fixture.capture, timeoutMs: 10_000 });
    expect(report.skipped).toEqual(fifos.map((path) => ({ path, reason: 'special_file' })));
    expect(readdirSync(join(fixture.tree, 'new'))).toEqual(['x']);
    expect(await changedFiles({ ...fixture.capture, timeoutMs: 10_000 })).toMatchObject([{ path: 'new/x' }]);
  });

  test('nested repositories, in place of tracked files too; a directory of tracked files with one in it is captured', async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.remove('main.c');
      write.file('lib/new.c', 'new\n');
      write.file('lib/b.c', 'b2\n');
    });
    for (const path of ['main.c', 'vendor/x', 'lib']) {
      inTree(fixture, 'git', 'init', '-q', path);
      inTree(fixture, 'git', '-C', path, 'commit', '-q', '--allow-empty', '-m', 'x');
    }
    const { skipped, patch } = await roundTrip(fixture);
    expect(skipped).toEqual({ 'main.c/': 'nested_repository', 'vendor/x/': 'nested_repository' });
    expect(patch).not.toContain('Subproject');
    expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree));
  });

  test('names that git refuses', async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.file('.GIT/config', 'x');
      write.file('lib/.Git', 'x');
      write.link('.gitmodules', 'main.c');
      write.file('git~1', 'fine');
    });
    const { skipped } = await roundTrip(fixture);
    expect(skipped).toEqual({
      '.GIT/config': 'forbidden_name',
      'lib/.Git': 'forbidden_name',
      '.gitmodules': 'forbidden_name',
    });
    expect(contentOf(fixture.clean)['git~1']).toBe('- fine');
  });

  test('paths too long for the system', async () => {
    await using fixture = await project();
    execFileSync(
      'sh',
      [
        '-c',
        'i=0; while [ $i -lt 30 ]; do mkdir $0 && cd -P $0 || exit 1; i=$((i+1)); done; echo x > file',
        'd'.repeat(200),
      ],
      {
        cwd: fixture.tree,
      },
    );
    execFileSync('chown', ['-R', `${fixture.capture.account.uid}`, '.'], { cwd: fixture.tree });
    const { skipped } = await roundTrip(fixture);
    expect(new Set(Object.values(skipped))).toEqual(new Set(['unreadable']));
    expect(Object.values((await liveDiff(fixture.capture)).report.skipped)).toMatchObject([{ reason: 'unreadable' }]);
  });
});

describe('what is closed or large', () => {
  test("the agent's own closed files and directories are opened after its phase", async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.file('closed/deep/file', 'x\n');
      write.file('main.c', 'closed\n');
    });
    chmodSync(join(fixture.tree, 'closed/deep'), 0);
    chmodSync(join(fixture.tree, 'closed'), 0);
    chmodSync(join(fixture.tree, 'main.c'), 0);
    chmodSync(join(fixture.tree, 'lib'), 0o100);
    chmodSync(fixture.tree, 0);
    expect((await roundTrip(fixture)).skipped).toEqual({});
    expect(contentOf(fixture.clean)).toEqual(contentOf(fixture.tree));
  });

  test('while the agent works they are left as they are, skipped, and count as unchanged', async () => {
    await using fixture = await project();
    fixture.edit((write) => {
      write.file('closed/file', 'x\n');
      write.file('main.c', 'closed\n');
      write.file('seen', 'seen\n');
    });
    chmodSync(join(fixture.tree, 'closed'), 0);
    chmodSync(join(fixture.tree, 'main.c'), 0);
    chmodSync(join(fixture.tree, 'lib'), 0);
    const { patchPath, report } = await liveDiff(fixture.capture);
    expect(report.skipped).toEqual(
      expect.arrayContaining([
        { path: 'main.c', reason: 'unreadable' },
        { path: 'lib/a.c', reason: 'unreadable' },
        { path: 'closed', reason: 'unreadable' },
      ]),
    );
    expect(readFileSync(patchPath, 'utf8').match(/^diff .*/gm)).toEqual(['diff --git a/seen b/seen']);
    expect(await changedFiles(fixture.capture)).toEqual([
      { path: 'seen', status: 'added', additions: 1, deletions: 0 },
    ]);
  });

  test.runIf(process.getuid?.() === 0)("a hard link to a file of root's is not read", async () => {
    await using fixture = await project();
    writeFileSync(join(fixture.root, 'secret'), 'secret\n', { mode: 0o600 });
    linkSync(join(fixture.root, 'secret'), join(fixture.tree, 'link'));
    const { patch, skipped } = await roundTrip(fixture);
    expect(skipped).toEqual({ link: 'unreadable' });
    expect(patch).toBe('');
  });

  test('a sparse file of 1 TB is never read, and fails the capture, tracked or new', async () => {
    await using fixture = await project();
    for (const name of ['main.c', 'huge']) {
      fixture.edit((write) => write.file(name, ''));
      truncateSync(join(fixture.tree, name), 2 ** 40);
      expect(await faultOf(captureTree(fixture.capture))).toMatchObject({
        code: 'patch_too_large',
        blame: 'agent',
        detail: expect.stringContaining(name),
      });
      expect((await liveDiff(fixture.capture)).report.skipped).toEqual([{ path: name, reason: 'too_large' }]);
      fixture.edit((write) => write.remove(name));
    }
  });

  test('a patch over the cap fails the capture and leaves no file', async () => {
    await using fixture = await project();
    fixture.edit((write) => write.file('big', randomBytes(200_000)));
    expect(await faultOf(captureTree({ ...fixture.capture, maxBytes: 10_000 }))).toMatchObject({
      code: 'patch_too_large',
    });
    expect(readdirSync(fixture.capture.scratchDir)).toEqual([]);
  });
});

describe('faults', () => {
  test('without a baseline there is no capture', async () => {
    await using fixture = await project();
    expect(await faultOf(captureTree({ ...fixture.capture, baseline: join(fixture.root, 'none') }))).toMatchObject({
      code: 'baseline_missing',
    });
  });

  test('a baseline that lacks an object fails the capture with the step: new files never just vanish', async () => {
    await using fixture = await project();
    const packs = join(fixture.capture.baseline, 'objects/pack');
    for (const name of readdirSync(packs)) writeFileSync(join(packs, name), 'broken');
    fixture.edit((write) => write.file('new', 'new\n'));
    expect(await faultOf(captureTree(fixture.capture))).toMatchObject({
      code: 'capture_failed',
      detail: expect.stringContaining('git read-tree: status 128'),
    });
  });

  test('a capture stops at its time limit', async () => {
    await using fixture = await project();
    expect(await faultOf(liveDiff({ ...fixture.capture, timeoutMs: 1 }))).toMatchObject({
      code: 'capture_failed',
      detail: expect.stringMatching(/^git[ a-z-]*: did not end within/),
    });
  });
});

test('a capture whose time is over begins no further command', async () => {
  await using fixture = await project();
  expect(await faultOf(liveDiff({ ...fixture.capture, timeoutMs: 0 }))).toEqual(
    expect.objectContaining({ code: 'capture_failed', detail: 'git: did not end within 0 s' }),
  );
});

test('the list of changed files has status and line counts', async () => {
  await using fixture = await project();
  fixture.edit((write) => {
    write.file('lib/a.c', 'a\nmore\n');
    write.file('n\xc3\xa9w\tfile', 'x\ny\n');
    write.file('bin', Buffer.from([0, 1, 2]));
    write.remove('lib/b.c');
    write.flip('crlf.txt');
    write.link('main.c', 'lib/a.c');
  });
  expect(await changedFiles(fixture.capture)).toEqual([
    { path: 'bin', status: 'added', additions: 0, deletions: 0 },
    { path: 'crlf.txt', status: 'modified', additions: 0, deletions: 0 },
    { path: 'lib/a.c', status: 'modified', additions: 1, deletions: 0 },
    { path: 'lib/b.c', status: 'deleted', additions: 0, deletions: 1 },
    { path: 'main.c', status: 'modified', additions: 1, deletions: 1 },
    { path: 'néw\tfile', status: 'added', additions: 2, deletions: 0 },
  ]);
});

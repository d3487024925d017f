import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_COMMIT_FILE, commitsLog } from './commits-log.ts';
import { TreeFixture } from './tree-fixture.ts';

async function project(): Promise<{ fixture: TreeFixture; git: (...args: string[]) => string }> {
  const fixture = await TreeFixture.make((write) => write.file('main.c', 'x\n'));
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: fixture.tree,
      env: {
        PATH: process.env['PATH'],
        HOME: fixture.root,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a',
      },
      encoding: 'utf8',
      ...fixture.capture.account,
    }).trim();
  git('init', '-q', '-b', 'master');
  git('add', '-A');
  git('commit', '-qm', 'buggy commit');
  writeFileSync(join(fixture.capture.baseline, AGENT_COMMIT_FILE), `${git('rev-parse', 'HEAD')}\n`);
  return { fixture, git };
}

test('has what the agent committed, newest first, without the commit that it started from', async () => {
  const { fixture, git } = await project();
  await using _ = fixture;
  expect((await commitsLog(fixture.capture)).toString()).toBe('');
  git('commit', '-q', '--allow-empty', '-m', 'first', '-m', 'body');
  git('checkout', '-q', '-b', 'fix/it');
  git('commit', '-q', '--allow-empty', '-m', 'second');
  const log = (await commitsLog(fixture.capture)).toString();
  expect(log).toMatch(/^[0-9a-f]{40}\nsecond\n\n---\n[0-9a-f]{40}\nfirst\nbody\n\n---\n$/);
  git('gc', '-q');
  expect((await commitsLog(fixture.capture)).toString()).toBe(log);
});

test("starts nothing that the repository's settings name", async () => {
  const { fixture, git } = await project();
  await using _ = fixture;
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('config', 'log.showSignature', 'true');
  git('config', 'gpg.program', 'touch');
  git('config', 'core.fsmonitor', `touch ${fixture.root}/bait;`);
  expect((await commitsLog(fixture.capture)).toString()).toContain('first');
  expect(readdirSync(fixture.root)).not.toContain('bait');
});

test('is empty without a repository, with a broken one, and with one that is a link', async () => {
  const { fixture, git } = await project();
  await using _ = fixture;
  git('commit', '-q', '--allow-empty', '-m', 'first');
  writeFileSync(join(fixture.tree, '.git/HEAD'), 'ref: refs/../../../etc/passwd\n');
  expect((await commitsLog(fixture.capture)).toString()).toBe('');
  writeFileSync(join(fixture.tree, '.git/HEAD'), '0'.repeat(40));
  expect((await commitsLog(fixture.capture)).toString()).toBe('');
  rmSync(join(fixture.tree, '.git'), { recursive: true });
  expect((await commitsLog(fixture.capture)).toString()).toBe('');
  symlinkSync('/etc', join(fixture.tree, '.git'));
  expect((await commitsLog(fixture.capture)).toString()).toBe('');
});

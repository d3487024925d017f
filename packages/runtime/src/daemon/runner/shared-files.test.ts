import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../task.ts';
import { IS_ROOT, RUNNER, TestDaemon } from '../test-daemon.ts';
import { SharedFiles } from './shared-files.ts';

describe.runIf(IS_ROOT)("the runner's share of the task", () => {
  test('is the two scripts in place and the directories that scripts name, and nothing more', async () => {
    await using daemon = await TestDaemon.prepare();
    const { taskDir } = daemon.config;
    const at = (path: string) => join(taskDir, path);
    for (const dir of ['harness/deep', 'data', 'unnamed']) mkdirSync(at(dir), { recursive: true });
    writeFileSync(at('harness/deep/tool'), 'x', { mode: 0o755 });
    writeFileSync(at('scripts/other.sh'), 'x', { mode: 0o755 });
    symlinkSync('/etc', at('link'));
    const run = `#!/bin/sh\ncat ${taskDir}/harness/x ${taskDir}/pocs/p ${taskDir}/link/q ${taskDir}/diffs/d /x${taskDir}/unnamed\n`;
    writeFileSync(at('scripts/run.sh'), run);
    writeFileSync(at('scripts/test.sh'), `#!/bin/sh\nls ${taskDir}/data\n`);
    chmodSync(at('scripts/test.sh'), 0o755);

    SharedFiles.open(loadTask(taskDir), RUNNER, daemon.path('pristine'));
    const access = (path: string) => {
      const { uid, gid, mode } = lstatSync(at(path));
      return `${uid === 0 ? 'root' : uid}:${gid === RUNNER.gid ? 'runner' : gid} ${(mode & 0o7777).toString(8)}`;
    };
    expect(
      Object.fromEntries(
        [
          '',
          'scripts',
          'scripts/build.sh',
          'scripts/test.sh',
          'harness',
          'harness/deep',
          'harness/deep/tool',
          'data',
        ].map((path) => [path, access(path)]),
      ),
    ).toEqual({
      '': 'root:runner 710',
      scripts: 'root:runner 710',
      'scripts/build.sh': 'root:runner 550',
      'scripts/test.sh': 'root:runner 550',
      harness: 'root:runner 750',
      'harness/deep': 'root:runner 750',
      'harness/deep/tool': 'root:runner 550',
      data: 'root:runner 750',
    });
    const closed = ['config.yaml', 'scripts/run.sh', 'scripts/other.sh', 'diffs', 'pocs', 'reports', 'unnamed'];
    expect(closed.filter((path) => lstatSync(at(path)).mode & 0o077)).toEqual([]);
    expect(lstatSync('/etc').mode & 0o755).toBe(0o755);
    expect(lstatSync(daemon.path('pristine')).mode & 0o777).toBe(0o700);
  });

  test('is put back when anything of it changed', async () => {
    await using daemon = await TestDaemon.prepare();
    const { taskDir } = daemon.config;
    mkdirSync(join(taskDir, 'harness'));
    writeFileSync(join(taskDir, 'harness/a'), 'one');
    writeFileSync(join(taskDir, 'scripts/run.sh'), `ls ${taskDir}/harness`);
    const shared = SharedFiles.open(loadTask(taskDir), RUNNER, daemon.path('pristine'));
    expect(await shared.restore()).toEqual([]);
    writeFileSync(join(taskDir, 'harness/new'), 'two');
    expect(await shared.restore()).toEqual([join(taskDir, 'harness')]);
    expect(lstatSync(join(taskDir, 'harness/new'), { throwIfNoEntry: false })).toBeUndefined();
    expect(await shared.restore()).toEqual([]);
  });

  test('has a place for what a harness is built into, which is as it was before the next check', async () => {
    await using daemon = await TestDaemon.prepare();
    const { taskDir } = daemon.config;
    const at = (path: string) => join(taskDir, path);
    for (const dir of ['harness/src', 'harness/cache/deep', 'pocs']) mkdirSync(at(dir), { recursive: true });
    writeFileSync(at('harness/Cargo.toml'), '[package]\n');
    writeFileSync(at('harness/src/main.rs'), 'fn main() {}\n');
    writeFileSync(at('harness/cache/CACHEDIR.TAG'), 'Signature: 8a477f597d28d172789f06886806bc55\n');
    writeFileSync(at('harness/cache/deep/old'), 'x', { mode: 0o755 });
    writeFileSync(at('scripts/run.sh'), `cd ${taskDir}/harness && cargo run\n`);
    const shared = SharedFiles.open(loadTask(taskDir), RUNNER, daemon.path('pristine'));
    const { uid, gid } = RUNNER;
    const asRunner = (script: string) => spawnSync('sh', ['-c', script], { uid, gid, cwd: at('harness') }).status;
    chmodSync(taskDir, 0o755);
    expect(asRunner('mkdir -p target/debug && echo x > target/debug/harness && echo y > cache/deep/old')).toBe(0);
    for (const closed of ['new', 'Cargo.toml', 'src/main.rs', 'src/new', '.cargo'])
      expect([closed, asRunner(`echo x >> ${closed}`)]).not.toEqual([closed, 0]);
    expect(asRunner('mv target away')).not.toBe(0);
    // Deeper than any path may be.
    expect(asRunner(`cd target && perl -e 'for (1..3_000) { mkdir "dd"; chdir "dd" }'`)).toBe(0);
    expect(await shared.restore()).toEqual([at('harness')]);
    expect(readdirSync(at('harness/target'))).toEqual([]);
    expect(readFileSync(at('harness/cache/deep/old'), 'utf8')).toBe('x');
    expect(await shared.restore()).toEqual([]);
  });

  test('leaves a `target` that leads elsewhere, or is a file, as it is', async () => {
    await using daemon = await TestDaemon.prepare();
    const { taskDir } = daemon.config;
    const at = (path: string) => join(taskDir, 'harness', path);
    for (const crate of ['linked', 'plain']) {
      mkdirSync(at(crate), { recursive: true });
      writeFileSync(at(`${crate}/Cargo.toml`), '[package]\n');
    }
    symlinkSync('/tmp/built/nowhere/yet', at('linked/target'));
    writeFileSync(at('plain/target'), 'x');
    writeFileSync(join(taskDir, 'scripts/run.sh'), `cd ${taskDir}/harness\n`);
    const shared = SharedFiles.open(loadTask(taskDir), RUNNER, daemon.path('pristine'));
    expect(readlinkSync(at('linked/target'))).toBe('/tmp/built/nowhere/yet');
    expect(readFileSync(at('plain/target'), 'utf8')).toBe('x');
    expect(lstatSync(at('plain/target'))).toMatchObject({ uid: 0, gid: RUNNER.gid });
    expect(await shared.restore()).toEqual([]);
  });
});

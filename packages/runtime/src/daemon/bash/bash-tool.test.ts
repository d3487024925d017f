import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AGENT, IS_ROOT, TestDaemon } from '../test-daemon.ts';

describe.runIf(IS_ROOT)('the bash tool', () => {
  test('directory and exported variables carry over; nothing else does', async () => {
    await using daemon = await TestDaemon.start();
    const { source } = (await daemon.admin('/project')).json as { source: string };
    expect((await daemon.bash('pwd')).json).toMatchObject({ stdout: `${source}\n` });
    await daemon.bash("mkdir -p \"it's a\n dir\"; cd it*; export A=$'one\\ntwo' B='$x \"q\"'; unexported=1; exit 7");
    expect((await daemon.bash('pwd; printf "%s|%s|%s" "$A" "$B" "$unexported"')).json).toMatchObject({
      stdout: `${source}/it's a\n dir\none\ntwo|$x "q"|`,
    });
    await daemon.bash('cd /usr; unset A; f() { :; }; export -f f; declare -rx R=1; false');
    expect((await daemon.bash('pwd; printf "%s" "$A$R"')).json).toMatchObject({ stdout: '/usr\n1' });
    expect((await daemon.bash('pwd; echo "$B$R"', { restart: true })).json).toMatchObject({
      stdout: `${source}\n\n`,
    });
  });

  test('whatever a command looks like and prints, its own output and status come back', async () => {
    await using daemon = await TestDaemon.start();
    const cases: [string, object][] = [
      ['printf x', { code: 0, stdout: 'x' }],
      ['cat <<END\nhere\nEND', { code: 0, stdout: 'here\n' }],
      ['echo a # comment', { code: 0, stdout: 'a\n' }],
      ['printf "a\\0b"', { stdout: 'a\0b', stdout_bytes: 3 }],
      ['printf "\\377"', { stdout: '\ufffd', stdout_bytes: 1 }],
      ['echo "open', { code: 2, outcome: 'exited' }],
      ['cat', { code: 0, stdout: '' }],
      ['echo out; echo err >&2; exit 3', { code: 3, stdout: 'out\n', stderr: 'err\n' }],
      ['set -e; false; echo never', { code: 1, stdout: '' }],
      ['trap "echo bye" EXIT; echo hi', { stdout: 'hi\nbye\n' }],
      ['exec echo replaced', { code: 0, stdout: 'replaced\n' }],
      ['kill -9 $$', { code: -1, outcome: 'signalled' }],
      ['echo a\0b', { stdout: 'ab\n' }],
      [`: ${'x'.repeat(300_000)}; echo long`, { stdout: 'long\n' }],
      ['(echo x >&3) 2>/dev/null || echo closed', { stdout: 'closed\n' }],
      ['head -c 3000000 /dev/zero', { truncated: true, stdout_bytes: 3_000_000 }],
    ];
    for (const [command, expected] of cases) {
      const { json } = await daemon.bash(command);
      expect([command.slice(0, 40), json]).toMatchObject([command.slice(0, 40), expected]);
    }
    expect((await daemon.bash('id -u; id -G; echo $HOME $USER; umask')).json).toMatchObject({
      stdout: `${AGENT.uid}\n${AGENT.gid}\n${AGENT.home} ${AGENT.name}\n0022\n`,
    });
  });

  test('a command is ended at its limit, and the shell goes on from where it was', async () => {
    await using daemon = await TestDaemon.start();
    await daemon.bash('cd /usr');
    const late = await daemon.bash('cd /; echo started; sleep 60; echo never', { timeout: 0.5 });
    expect(late.json).toMatchObject({ code: -1, outcome: 'timed_out', stdout: 'started\n' });
    expect((await daemon.bash('pwd')).json).toMatchObject({ stdout: '/usr\n' });
  });

  test('what is left in the background goes on, and keeps nobody waiting', async () => {
    await using daemon = await TestDaemon.start();
    const start = performance.now();
    await daemon.bash('cd /tmp; (sleep 1; echo noise; echo done > "$OLDPWD/late") & echo $!');
    expect(performance.now() - start).toBeLessThan(900);
    expect(
      (await daemon.bash('cd "$OLDPWD"; for i in $(seq 50); do test -f late && break; sleep 0.1; done; cat late')).json,
    ).toMatchObject({ stdout: 'done\n' });
  });

  test('it does not wait behind a build', async () => {
    await using daemon = await TestDaemon.start({ task: { 'scripts/build.sh': '#!/bin/sh\nsleep 2\n' } });
    const build = daemon.bencher('build');
    const start = performance.now();
    expect((await daemon.bash('echo quick')).json).toMatchObject({ stdout: 'quick\n' });
    expect(performance.now() - start).toBeLessThan(1000);
    expect((await build).json).toMatchObject({ code: 0 });
  });

  test('a directory that is gone does not keep the shell from starting', async () => {
    await using daemon = await TestDaemon.start();
    await daemon.bash('mkdir gone; cd gone; rmdir ../gone');
    expect((await daemon.bash('echo still here')).json).toMatchObject({ code: 0, stdout: 'still here\n' });
    chmodSync(daemon.path('source'), 0o000);
    expect((await daemon.bash('echo still here', { restart: true })).json).toMatchObject({ stdout: 'still here\n' });
  });
});

import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptResult } from '@ssebench/contracts/daemon-api';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, RUNNER, TestDaemon } from '../test-daemon.ts';

const script = (body: string) => `#!/bin/bash\nset -e\n${body}\n`;
const resultOf = ({ json }: { json: unknown }) => json as ScriptResult;

describe.runIf(IS_ROOT)('checks', () => {
  test('run as the runner in a copy, with the image environment and nothing of the daemon or the run', async () => {
    process.env['SSE_API_KEY'] = 'secret';
    await using daemon = await TestDaemon.start({
      scriptEnv: { PATH: '/usr/bin:/bin', GOFLAGS: '-mod=vendor' },
      task: { 'scripts/build.sh': script('id -u; id -G; pwd; git log --oneline | wc -l; env | sort') },
    });
    delete process.env['SSE_API_KEY'];
    const { stdout } = resultOf(await daemon.bencher('build'));
    const [uid, groups, cwd = '', commits, ...env] = stdout.trimEnd().split('\n');
    expect([uid, groups, commits]).toEqual([String(RUNNER.uid), String(RUNNER.gid), '1']);
    expect(cwd.startsWith(`${daemon.config.runnerDir}/work-`)).toBe(true);
    const names = env.map((line) => line.slice(0, line.indexOf('=')));
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([
      'CCACHE_DIR',
      'GOCACHE',
      'GOFLAGS',
      'HOME',
      'LOGNAME',
      'PATH',
      'TMPDIR',
      'USER',
      'XDG_CACHE_HOME',
    ]);
  });

  test('a PoC without a build is not run', async () => {
    await using daemon = await TestDaemon.start({ difficulty: 0 });
    const answer = await daemon.bencher('run_poc', { poc: 'pocs/poc.txt' });
    expect(answer).toMatchObject({ status: 200, json: { code: -1, outcome: 'not_run' } });
    expect(resultOf(answer).stderr).toContain('call build first');
  });

  test('a PoC runs in the build that it names, at the path where that was made', async () => {
    await using daemon = await TestDaemon.start({
      difficulty: 0,
      task: {
        'scripts/build.sh': script('cp program.txt built.txt; pwd > where.txt'),
        'scripts/run.sh': script('cat built.txt; test "$(cat where.txt)" = "$PWD"; echo poisoned > built.txt'),
      },
    });
    const poc = { poc: 'pocs/poc.txt' };
    expect(resultOf(await daemon.bencher('build')).build).toBe('b1');
    writeFileSync(daemon.path('source/program.txt'), 'second\n');
    expect(resultOf(await daemon.bencher('build')).build).toBe('b2');
    for (const [build, stdout] of [
      ['b1', 'bug\n'],
      ['b2', 'second\n'],
      ['b1', 'bug\n'],
      [undefined, 'second\n'],
    ]) {
      const answer = await daemon.bencher('run_poc', { ...poc, ...(build ? { build } : {}) });
      expect([build, answer.json]).toMatchObject([build, { code: 0, stdout }]);
    }
    await daemon.bencher('build');
    expect((await daemon.bencher('run_poc', { ...poc, build: 'b1' })).json).toHaveProperty('code', 'unknown_build');
    expect((await daemon.graded('run_poc', poc)).json).toMatchObject({ code: -1, outcome: 'not_run' });
  });

  test('only the PoCs of the task run', async () => {
    await using daemon = await TestDaemon.start({ difficulty: 0 });
    await daemon.bencher('build');
    const errorFor = async (poc: string) => (await daemon.bencher('run_poc', { poc })).json;
    expect(await errorFor('pocs/other.txt')).toEqual({
      code: 'unknown_poc',
      error: 'not a PoC of this task: pocs/other.txt',
    });
    expect(await errorFor('/etc/passwd')).toMatchObject({ error: 'PoC outside the task directory: /etc/passwd' });
  });

  test('the runner can read its share of the task and the staged PoC, change none of it, and see nothing else', async () => {
    const attempts = script(`
      cd "$(dirname "$1")"; ls; cat go.mod
      for f in "$1" "$0" go.mod TASK/scripts/build.sh TASK/harness/lib.txt; do
        (echo x >> "$f") 2>/dev/null && echo "wrote $f"; rm -f "$f" 2>/dev/null && echo "removed $f"; done || true
      (touch new TASK/harness/new TASK/new) 2>/dev/null && echo created
      cat TASK/harness/lib.txt
      cat TASK/config.yaml TASK/diffs/* TASK/pocs/* TASK/scripts/run.sh 2>/dev/null && echo leaked
      ls TASK RUNNER RUNNER/builds RUNNER/pristine 2>/dev/null && echo listed
      true`);
    await using daemon = await TestDaemon.prepare({
      difficulty: 0,
      task: { 'harness/lib.txt': 'library\n', 'pocs/go.mod': 'module poc\n', 'secret.txt': 'no' },
    });
    const run = attempts.replaceAll('TASK', daemon.config.taskDir).replaceAll('RUNNER', daemon.config.runnerDir);
    writeFileSync(join(daemon.config.taskDir, 'scripts/run.sh'), run);
    await daemon.start();
    await daemon.bencher('build');
    const answer = resultOf(await daemon.bencher('run_poc', { poc: 'pocs/poc.txt' }));
    expect(answer).toMatchObject({ code: 0, stdout: 'go.mod\npoc.txt\nmodule poc\nlibrary\n' });
    expect(statSync(join(daemon.config.taskDir, 'secret.txt')).mode & 0o777).toBe(0o600);
  });

  test('a shared file that was changed is put back before the next check', async () => {
    await using daemon = await TestDaemon.start();
    const build = join(daemon.config.taskDir, 'scripts/build.sh');
    const before = readFileSync(build);
    chmodSync(build, 0o755);
    writeFileSync(build, script('echo changed'));
    expect(resultOf(await daemon.bencher('build')).stdout).toBe('');
    expect(readFileSync(build)).toEqual(before);
    expect(lstatSync(build).mode & 0o777).toBe(0o550);
  });

  test('a graded check finds nothing that an earlier one left: no file, process, cache or IPC object', async () => {
    const leave = script(`
      mkdir -p "$GOCACHE" && echo x > "$GOCACHE/entry"; echo x > "$HOME/file"; echo x > SHARED/file
      ipcmk -M 64 > /dev/null
      (trap "" TERM; exec setsid sleep 300) > /dev/null 2>&1 & disown`);
    const look = script(
      'ls -A "$HOME" "$TMPDIR" SHARED; ls .. ; ipcs -m | grep -c " 64 " || true; pgrep -r S,R,D,T -u "$(id -u)" sleep || echo none',
    );
    await using daemon = await TestDaemon.prepare();
    const shared = daemon.config.sharedDirs[0] ?? '';
    for (const [name, body] of [
      ['build', leave],
      ['test', look],
    ]) {
      writeFileSync(join(daemon.config.taskDir, `scripts/${name}.sh`), body?.replaceAll('SHARED', shared) ?? '');
    }
    await daemon.start();
    expect(resultOf(await daemon.graded('build'))).toMatchObject({ code: 0, stderr: '' });
    const home = readdirSync(daemon.config.runnerDir).find((name) => name.startsWith('home-'));
    expect(resultOf(await daemon.graded('function_test')).stdout).toMatch(
      /^\S+home-\d+:\ntmp\n\n\S+tmp:\n\n\S+shared:\nsrc\n0\nnone\n$/,
    );
    expect(readdirSync(daemon.config.runnerDir)).not.toContain(home);
  });

  test('a build that puts a link in place of its tree shows the PoC nothing of what root can read', async () => {
    await using daemon = await TestDaemon.prepare({
      task: { 'scripts/run.sh': script('ls -A .; cat */* 2>/dev/null || true') },
    });
    const build = script('cd ..; rm -rf src; ln -s TASK src').replace('TASK', daemon.config.taskDir);
    writeFileSync(join(daemon.config.taskDir, 'scripts/build.sh'), build);
    await daemon.start();
    expect(resultOf(await daemon.graded('build'))).toMatchObject({ code: 0 });
    expect(resultOf(await daemon.graded('run_poc', { poc: 'pocs/poc.txt' }))).toMatchObject({ code: 0, stdout: '' });
  });

  test('a script is ended at its limit, with all that it started, and the output until then is kept', async () => {
    await using daemon = await TestDaemon.start({
      checkTimeoutMs: 700,
      task: { 'scripts/build.sh': script('echo before; setsid sleep 300 & sleep 300') },
    });
    expect(resultOf(await daemon.bencher('build'))).toMatchObject({
      code: -1,
      outcome: 'timed_out',
      stdout: 'before\n',
    });
    expect(resultOf(await daemon.bencher('function_test'))).toMatchObject({ code: 0, outcome: 'exited' });
  });

  test('an endless output keeps its head, its tail and its length', async () => {
    await using daemon = await TestDaemon.start({
      task: { 'scripts/build.sh': script('echo first; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo last') },
    });
    const { stdout, truncated, stdout_bytes } = resultOf(await daemon.bencher('build'));
    expect({ truncated, stdout_bytes }).toEqual({ truncated: true, stdout_bytes: 5_000_012 });
    expect([stdout.slice(0, 6), stdout.slice(-6)]).toEqual(['first\n', '\nlast\n']);
    expect(stdout.length).toBeLessThan(1_100_000);
  });

  test('the end of the phase cancels checks that run and that wait, and is not kept waiting by them', async () => {
    await using daemon = await TestDaemon.start({ task: { 'scripts/build.sh': script('sleep 300') } });
    const calls = [daemon.bencher('build'), daemon.bencher('build'), daemon.bash('sleep 300')];
    await expect
      .poll(() => daemon.results().length === 0 && readdirSync(daemon.config.runnerDir).length)
      .toBeGreaterThan(3);
    const start = performance.now();
    expect((await daemon.admin('/admin/agent_exited', {})).status).toBe(200);
    expect((await daemon.admin('/prepare_grading', {})).status).toBe(200);
    expect(performance.now() - start).toBeLessThan(5000);
    for (const call of calls) expect((await call).json).toHaveProperty('code', 'phase_ended');
  });

  test('a caller that goes away takes its check with it', async () => {
    await using daemon = await TestDaemon.start({ task: { 'scripts/build.sh': script('sleep 300') } });
    const gone = new AbortController();
    const call = fetch(`http://127.0.0.1:${daemon.httpPort}/tool/bencher?action=build`, {
      method: 'POST',
      body: '{}',
      signal: gone.signal,
    });
    await expect.poll(() => readdirSync(daemon.config.runnerDir).length).toBeGreaterThan(3);
    gone.abort();
    await expect(call).rejects.toThrow();
    expect(resultOf(await daemon.bencher('function_test'))).toMatchObject({ code: 0 });
  });

  test('a script that the system can not execute is named, with the reason and the remedy', async () => {
    const cases: [string, number, string][] = [
      ['#!/bin/sh\n', 0o644, "EACCES: make it executable in the task's Dockerfile: RUN chmod +x"],
      ['#!/no/such/interpreter\n', 0o755, 'ENOENT: the file or the interpreter'],
    ];
    for (const [content, mode, text] of cases) {
      await using daemon = await TestDaemon.prepare();
      const path = join(daemon.config.taskDir, 'scripts/build.sh');
      writeFileSync(path, content);
      chmodSync(path, mode);
      await daemon.start();
      const { status, json } = await daemon.bencher('build');
      expect([status, json]).toEqual([
        500,
        { code: 'script_not_executable', error: expect.stringContaining(`${path} can't be executed: ${text}`) },
      ]);
    }
  });

  test('hidden tests that do not apply have a code of their own; those that do stay byte for byte', async () => {
    await using daemon = await TestDaemon.start({
      difficulty: 0,
      source: {
        'tests.sh': 'test -f crlf.txt\r\n'.replace('\r', ''),
        'crlf.txt': 'a\r\n',
        '.gitattributes': '* text eol=lf\n',
      },
      task: {
        'diffs/test.diff': '--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1 +1,2 @@\n a\r\n+b\r\n',
        'scripts/test.sh': script('od -c crlf.txt; ls .. .'),
      },
    });
    expect(resultOf(await daemon.bencher('intent_test')).stdout).toBe(
      '0000000   a  \\r  \\n   b  \\r  \\n\n0000006\n.:\ncrlf.txt\ntests.sh\n\n..:\nsrc\n',
    );
    writeFileSync(daemon.path('source/crlf.txt'), 'other\n');
    const { status, json } = await daemon.bencher('intent_test');
    expect([status, json]).toEqual([
      500,
      { code: 'hidden_tests_do_not_apply', error: expect.stringMatching(/^git apply failed, .*crlf\.txt/s) },
    ]);
    expect(daemon.results().some((name) => /^patch-\d+\.log$/.test(name))).toBe(true);
  });

  test('a tree that git does not take is checked all the same', async () => {
    await using daemon = await TestDaemon.start({
      given: '',
      task: { 'scripts/build.sh': script('ls -A; git log --format=%s; git ls-files') },
    });
    mkdirSync(daemon.path('repo/.GIT'));
    writeFileSync(daemon.path('repo/.GIT/config'), 'a name that git refuses');
    await daemon.admin('/prepare_grading', {});
    expect(resultOf(await daemon.graded('build'))).toMatchObject({
      code: 0,
      stdout: '.GIT\n.git\n.gitignore\nprogram.txt\ntests.sh\nproject\n',
    });
  });

  test('a directory where the hidden tests add a file makes them not apply, and nothing else', async () => {
    await using daemon = await TestDaemon.start({
      given: '--- /dev/null\n+++ b/hidden.sh/x\n@@ -0,0 +1 @@\n+x\n',
      task: { 'diffs/test.diff': '--- /dev/null\n+++ b/hidden.sh\n@@ -0,0 +1 @@\n+exit 1\n' },
    });
    await daemon.admin('/prepare_grading', {});
    expect((await daemon.graded('intent_test')).json).toHaveProperty('code', 'hidden_tests_do_not_apply');
  });

  test('each run leaves a log of bytes under a name of its own', async () => {
    await using daemon = await TestDaemon.start({
      task: { 'scripts/build.sh': script('printf "a\\377b"; echo err >&2; exit 3') },
    });
    const { log } = resultOf(await daemon.bencher('build'));
    const path = join(daemon.config.taskDir, 'scripts/build.sh');
    expect(readFileSync(daemon.path(`results/${log}`))).toEqual(
      Buffer.concat([
        Buffer.from(`${path}\ncode=3\n=== stdout ===\na`),
        Buffer.of(0xff),
        Buffer.from('b\n=== stderr ===\nerr\n'),
      ]),
    );
  });

  test('a task without a part says so', async () => {
    await using daemon = await TestDaemon.start({ difficulty: 0, config: 'scripts: {}\n' });
    expect((await daemon.agent('/capabilities')).json).toEqual({
      can_build: false,
      can_run_poc: false,
      poc_count: 0,
      has_function_test: false,
      has_intent_test: false,
    });
    const texts = {
      build: 'build script',
      run_poc: 'run script',
      function_test: 'test script',
      intent_test: 'intent_test',
    };
    for (const [action, what] of Object.entries(texts)) {
      const { json } = await daemon.bencher(action, { poc: 'x' });
      expect(json).toEqual({ code: 'not_configured', error: `${what} not configured` });
    }
  });
});

import { type BencherAction, type Difficulty, isAllowed } from '@ssebench/contracts/difficulty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeldRun, WAITING, type Who } from './support/held-run.ts';
import { ANSWERS, BOTH_MODES, everything, OPEN_TASK } from './support/hostile.ts';
import { scriptAgent, summaryIn, Workspace } from './support/workspace.ts';

const LISTENERS = { socket: '--unix-socket /tmp/sse.sock http://x', http: 'http://127.0.0.1:4263' };
const ADMIN_ONLY = ['GET /reference/patch', 'POST /prepare_grading', 'POST /admin/agent_exited', 'POST /admin/capture'];
const ACTIONS: BencherAction[] = ['build', 'run_poc', 'function_test', 'intent_test'];

const CASES: { grading: (typeof BOTH_MODES)[number]; level: Difficulty }[] = everything
  ? BOTH_MODES.flatMap((grading) => ([0, 2, 4] as const).map((level) => ({ grading, level })))
  : [
      { grading: 'separate', level: 2 },
      { grading: 'same', level: 0 },
    ];

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({ waiter: scriptAgent(WAITING) });
});
afterAll(() => workspace[Symbol.asyncDispose]());

describe.each(CASES)('grading $grading, level $level, from inside', ({ grading, level }) => {
  let run: HeldRun;
  beforeAll(async () => {
    const options = ['--grading', grading, '--difficulty', String(level)];
    // The user of the host is often 1000, as the agent's is.
    run = await HeldRun.start(workspace, OPEN_TASK, 'waiter', options, 1000);
  });
  afterAll(() => run[Symbol.asyncDispose]());

  describe.each<Who>(['model', 'runner'])('as %s', (who) => {
    test.each(Object.entries(LISTENERS))(
      'the %s listener serves what the level allows, and nothing of the admin',
      async (_, at) => {
        const answers: Record<string, string> = {};
        for (const route of ADMIN_ONLY) answers[route] = await ask(run, who, at, route);
        // A check ends the processes of the runner when it is over, and so whoever asks for one as the runner.
        const asked = ACTIONS.filter((action) => who === 'model' || !isAllowed(action, level));
        for (const action of asked) {
          const body = action === 'run_poc' ? '{"poc":"pocs/poc.txt"}' : '{}';
          answers[action] = await ask(run, who, at, `POST /tool/bencher?action=${action}`, body);
        }
        for (const action of ACTIONS) {
          answers[`graded ${action}`] = await ask(run, who, at, `POST /tool/bencher?action=${action}`, GRADED);
        }
        answers['graded bash'] = await ask(
          run,
          who,
          at,
          'POST /tool/bash?action=execute',
          '{"command":"id","grading":true}',
        );
        answers['bash'] = await ask(run, who, at, 'POST /tool/bash?action=execute', '{"command":"id -u"}');
        answers['version'] = await ask(run, who, at, 'GET /version');
        expect(answers).toEqual({
          ...Object.fromEntries(ADMIN_ONLY.map((route) => [route, '403 admin_only'])),
          ...Object.fromEntries(
            asked.map((action) => [action, isAllowed(action, level) ? '200' : '403 action_withheld']),
          ),
          ...Object.fromEntries(ACTIONS.map((action) => [`graded ${action}`, '403 grading_is_admin_only'])),
          'graded bash': '403 grading_is_admin_only',
          bash: '200',
          version: '200',
        });
      },
    );

    test('what is root’s alone can be neither entered nor read, and no socket of ours be reached, moved or replaced', async () => {
      const output = await run.sh(who, REACHING, ANSWERS);
      expect(output.split('\n').filter((line) => line && !line.startsWith('ok '))).toEqual([]);
      expect(output).toContain('ok done');
    });

    test('there is no way up and no way out, neither from a shell nor through the tools', async () => {
      const expected = {
        id: who === 'model' ? '1000:1000 1000' : expect.stringMatching(/^(\d+):\1 \1$/),
        setid: '',
        caps: '0000000000000000 0000000000000000',
        newprivs: '1',
        interfaces: 'lo',
        routes: '0',
        internet: 'no',
        names: 'no',
        hostpaths: '0',
        mounts: '',
        chroot: 'no',
        kernel: 'no',
      };
      expect(factsOf(await run.sh(who, LOOKING))).toEqual(expected);
      if (who === 'runner') return;
      const answer = await run.sh(
        who,
        `curl -s -d @- ${LISTENERS.socket}'/tool/bash?action=x' -H 'content-type: application/json' <<'END'\n${JSON.stringify({ command: LOOKING })}\nEND`,
      );
      expect(factsOf(JSON.parse(answer).stdout)).toEqual(expected);
    });
  });

  test('a build that the agent asks for is the runner’s, and as closed in', async () => {
    if (!isAllowed('build', level)) return;
    const build = `${LOOKING}\n${REACHING.replaceAll('$1', ANSWERS)}`;
    await run.sh('model', `cat > /src/open/build <<'END'\n${build}\nEND`);
    const answer = JSON.parse(
      await run.sh(
        'model',
        `curl -s -d '{}' -H 'content-type: application/json' ${LISTENERS.socket}'/tool/bencher?action=build'`,
      ),
    );
    const lines: string[] = answer.stdout.split('\n');
    expect(factsOf(lines.filter((line) => line.includes('=')).join('\n'))).toMatchObject({
      setid: '',
      interfaces: 'lo',
      internet: 'no',
      caps: '0000000000000000 0000000000000000',
    });
    expect(lines.filter((line) => line.startsWith('reached'))).toEqual([]);
    await run.sh('model', 'cd /src/open && git checkout -q build');
  });

  test('what the level’s checks need is there for root alone, and nothing else is', async () => {
    const there = async (path: string) =>
      (await run.sh('root', `[ -e ${path} ] && stat -c %U:%a $(dirname ${path}) || echo no`)).trim();
    const all = grading === 'same';
    const closed = 'root:700';
    expect(await there('/ssebench/pocs/poc.txt')).toBe(all || level <= 1 ? closed : 'no');
    expect(await there('/ssebench/diffs/test.diff')).toBe(all || level === 0 ? closed : 'no');
    expect(await there('/ssebench/diffs/patch.diff')).toBe(all ? closed : 'no');
    expect(await run.sh('root', 'stat -c %U:%a /ssebench-repo || :')).toMatch(all ? /^root:700$/m : /No such file/);
  });

  test('all that is mounted from the host, the archive aside, lies beneath a directory that only root enters', async () => {
    const mounts = (await run.hostMounts()).filter(
      (target) => target !== '/tmp/sse-archive' && !target.startsWith('/etc/'),
    );
    expect(mounts.sort()).toEqual(['/var/lib/ssebench/host', '/var/lib/ssebench/results']);
    expect((await run.sh('root', 'stat -c %u:%g:%a /var/lib/ssebench')).trim()).toBe('0:0:700');
  });

  test('after the phase no process is left, and the listeners refuse every tool', async () => {
    await run.sh('model', '(setsid sh -c "trap \'\' TERM; while :; do sleep 1; done" > /dev/null 2>&1 &)');
    await run.sh('runner', '(setsid sh -c "trap \'\' TERM; while :; do sleep 1; done" > /dev/null 2>&1 &)');
    await run.sh('model', WITHOUT_FIRST_THREAD);
    await run.sh('runner', WITHOUT_FIRST_THREAD);
    const end = await run.finish();
    expect(end.status, end.stderr).toBe(0);
    expect((await summaryIn(run.directory)).outcome.code).toBe('graded');
    const users = await run.sh(
      'root',
      "for p in /proc/[0-9]*; do sed -n 's/^Uid:\\t\\([0-9]*\\).*/\\1/p' $p/status; done 2>/dev/null | sort -u",
    );
    expect(users.trim()).toBe('0');
    for (const at of Object.values(LISTENERS)) {
      for (const call of [
        ...ACTIONS.map((action) => `bencher?action=${action}`),
        'bash?action=execute',
        'other?action=x',
        'bencher',
      ]) {
        expect(await ask(run, 'model', at, `POST /tool/${call}`, '{"command":"id"}')).toBe('403 phase_ended');
      }
      for (const route of ADMIN_ONLY) expect(await ask(run, 'model', at, route)).toBe('403 admin_only');
    }
  });
});

/** Goes on in a thread of its own, and looks like a zombie. */
const WITHOUT_FIRST_THREAD = `(setsid perl -Mthreads -e '
  threads->create(sub { sleep 600 });
  syscall(\`uname -m\` =~ /aarch64/ ? 93 : 60, 0);
' > /dev/null 2>&1 &); sleep 0.2`;

const GRADED = '{"poc":"pocs/poc.txt","grading":true}';

/** Status and code of an answer, as this user gets it. */
async function ask(run: HeldRun, who: Who, at: string, route: string, body = '{}'): Promise<string> {
  const [method, path] = route.split(' ');
  const data = method === 'POST' ? `-d '${body}' -H 'content-type: application/json'` : '';
  const output = await run.sh(who, `curl -s -m 60 -w '\\n%{http_code}' ${data} ${at}'${path}'`);
  const [status, json] = output.trimEnd().split('\n').reverse();
  const code: unknown = json?.startsWith('{') ? JSON.parse(json).code : undefined;
  return status === '403' ? `403 ${String(code)}` : String(status);
}

function factsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .split(/=(.*)/s)
          .slice(0, 2)
          .map((part) => part.trim()),
      ),
  );
}

/** Prints `reached …` for each thing that must not be, and `ok …` for the others. */
const REACHING = `
try() { if "$@" > /dev/null 2>&1; then echo "reached $*"; else echo "ok $*"; fi; }
for place in /ssebench /ssebench-repo /run/ssebench /var/lib/ssebench /var/lib/ssebench/results /var/lib/ssebench/host \\
    /var/lib/ssebench-runner /var/lib/ssebench-runner/pristine /var/lib/ssebench-runner/builds /root /reference; do
  try ls $place
  try cp -r $place /tmp/copy-of
  try mv $place $place.moved
  try touch $place/new
  try rmdir $place
done
for file in /ssebench/config.yaml /ssebench/diffs/patch.diff /ssebench/diffs/test.diff /ssebench/pocs/poc.txt \\
    /ssebench/scripts/run.sh /reference/patch.diff /var/lib/ssebench/results/daemon.log /proc/1/environ /etc/shadow; do
  try cat $file
  try ln $file /tmp/link-to
done
for socket in /run/ssebench/admin.sock /var/lib/ssebench/host/host.sock; do
  try curl -s -m 5 --unix-socket $socket http://x/version
done
for mine in /tmp/sse.sock /tmp/sse-archive /opt/ssebench/runtime.cjs /opt/ssebench/bin/node /ssebench/scripts/build.sh \\
    /src/open /var/lib/ssebench-image/baseline.git/HEAD /var/lib/ssebench-image/prepared.json; do
  try mv $mine /tmp/moved
done
for file in /tmp/sse.sock /opt/ssebench/runtime.cjs /opt/ssebench/bin/node /ssebench/scripts/build.sh \\
    /var/lib/ssebench-image/baseline.git/HEAD /var/lib/ssebench-image/prepared.json /etc/passwd /usr/bin/git; do
  try rm -f $file
  try sh -c "echo x >> $file"
done
try kill -0 1
for pid in $(ls /proc | grep -x '[0-9]*'); do
  case $(sed -n 's/^Uid:\\t\\([0-9]*\\).*/\\1/p' /proc/$pid/status 2>/dev/null) in
    0) try kill -0 $pid; try cat /proc/$pid/environ; try ls /proc/$pid/root/ssebench; try ls /proc/$pid/fd ;;
  esac
done
try grep -rlsE "$1" /ssebench /ssebench-repo /src /home /tmp /var /etc /run /reference /opt/tools
try grep -lsE nobody-asks /proc/self/environ
echo "ok done"
`;

/** Prints `name=value` lines. */
const LOOKING = `
echo "id=$(id -u):$(id -g) $(id -G)"
echo "setid=$(find / -xdev -perm /6000 -not -path '/proc/*' 2>/dev/null | head -n 3 | tr '\\n' ' ')"
echo "caps=$(sed -n 's/^Cap\\(Eff\\|Prm\\):\\s*//p' /proc/self/status | tr '\\n' ' ')"
echo "newprivs=$(sed -n 's/^NoNewPrivs:\\s*//p' /proc/self/status)"
echo "interfaces=$(ls /sys/class/net | tr '\\n' ' ')"
echo "routes=$(tail -n +2 /proc/net/route | wc -l)"
echo "internet=$(curl -s -m 3 -o /dev/null http://1.1.1.1/ && echo yes || echo no)"
echo "names=$(getent hosts example.com > /dev/null && echo yes || echo no)"
echo "hostpaths=$(grep -cE 'open-c|held-|waiter|claude' /proc/self/mountinfo)"
echo "mounts=$(unshare -Ur true 2>/dev/null && echo unshare; mount -t tmpfs none /mnt 2>/dev/null && echo mount)"
echo "chroot=$(chroot / true 2>/dev/null && echo yes || echo no)"
echo "kernel=$( (echo x > /proc/sys/kernel/core_pattern) 2>/dev/null && echo yes || echo no)"
`;

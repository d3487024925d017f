import { ANSWERS, FINDING, leaving, writing } from './hostile.ts';
import { scriptAgent, type TestAgent } from './workspace.ts';

/** What a script says that tries to change the task's files. */
export const CHANGING = { tried: 'tried to change', succeeded: 'succeeded in changing' };

/** Changes these files in every way there is, and goes on trying in the background. */
function changing(paths: string): string {
  return `
change() {
  for path in ${paths}; do
    (echo 'exit 0' > "$path" || cp /bin/true "$path" || rm -f "$path" || mv "$path" "$path.old" || chmod 777 "$path" ||
      ln -sf /bin/true "$path" || mv "$(dirname "$path")" "$(dirname "$path").old") 2>/dev/null &&
      echo "${CHANGING.succeeded} $path"
    echo "${CHANGING.tried} $path"
  done
}
change
(while :; do change; done > /dev/null 2>&1) &
`;
}

const SHARED =
  '/ssebench/scripts/build.sh /ssebench/scripts/test.sh /ssebench/support/harness.sh /ssebench/pocs/poc.txt';

/** As many processes as there may be. */
const FILLING = `perl -e 'while (defined(my $child = fork)) { if (!$child) { sleep 600; exit } } sleep 600' > /dev/null 2>&1`;
/** Each lives for a moment and has a child by then, in a session of its own. */
const HOPPING = `perl -MPOSIX=setsid -e 'for (1..19) { last unless fork } while (1) { setsid; exit if fork }' > /dev/null 2>&1`;

/** More IPC objects of each kind than fit on one command line, which the kernel lets anybody make. */
const IPC_OBJECTS = `perl -e 'for (1..31_000) { msgget(0, 0666); semget(0, 1, 0666) } for (1..4_000) { shmget(0, 4096, 0666) }'`;
/** Holds as many files and connections to the daemon as it can, in several processes. */
const HOLDING = `
hold() { setsid perl -MSocket -e '
  my @held;
  for my $to (sockaddr_un("/tmp/sse.sock"), sockaddr_in(4263, inet_aton("127.0.0.1"))) {
    while (@held < 3_000) {
      socket(my $s, sockaddr_family($to), SOCK_STREAM, 0) or last;
      connect($s, $to) or last;
      push @held, $s;
    }
  }
  while (open my $f, "<", "/dev/null") { push @held, $f }
  sleep 600;
' > /dev/null 2>&1 & }
hold; hold; hold
`;
/** The first thread ends, and the process, which looks like a zombie then, goes on. */
const HEADLESS = `perl -Mthreads -e '
  threads->create(sub { while (1) { select undef, undef, undef, 0.01; chmod 0, $ENV{HOME}, glob "/var/lib/ssebench-runner/*/src" } });
  syscall(\`uname -m\` =~ /aarch64/ ? 93 : 60, 0);
' > /dev/null 2>&1`;
/** The memory goes to processes that give themselves as good a place as they may have. */
const PRECIOUS = `
for i in 1 2 3 4 5 6 7 8; do
  (for score in -1000 0; do echo $score > /proc/self/oom_score_adj; done 2> /dev/null
    exec perl -e 'my @x; push @x, "x" x 5_000_000 while 1') &
done
wait
`;

/** An agent's files that turn a failed check into something else, if anything can: what it does, what its build does, what its program does. */
export const WAYS_TO_AN_ERROR: Record<string, string> = {
  /** Closed, blocked, and far too large where git ignores it. */
  tree: `
mkdir closed; echo x > closed/x; chmod 000 closed/x closed
mkfifo pipe .gitattributes
perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket"))'
rm program; mkfifo program
chmod 000 tests .
`,
  'large-ignored-file': 'echo /giant > .gitignore; truncate -s 1T giant',
  memory: `
(perl -e 'my @x; push @x, "x" x 10_000_000 while 1' > /dev/null 2>&1 &)
${writing('program', `i=0; while [ $i -lt 80 ]; do perl -e 'my $x = "x" x 8_000_000; sleep 3' & i=$((i+1)); done; wait; exit 1`)}
`,
  processes: `
${writing('build', `${FILLING} & exit 0`)}
${FILLING} &
sleep 1
`,
  'hopping-processes': `
${writing('build', `${HOPPING} & exit 0`)}
${HOPPING} &
`,
  'ipc-objects': `
${writing('build', IPC_OBJECTS)}
${writing('program', `${IPC_OBJECTS}; exit 1`)}
${IPC_OBJECTS}
`,
  'files-and-connections': `
${writing('build', HOLDING)}
${writing('program', `${HOLDING} sleep 1; exit 1`)}
${HOLDING}
sleep 1
`,
  'headless-processes': `
${writing('build', `${HEADLESS} & sleep 0.3`)}
${writing('program', `${HEADLESS} & sleep 0.3; exit 1`)}
${HEADLESS} &
sleep 0.3
`,
  'build-leftovers': `
${writing(
  'build',
  `
mkdir closed && echo x > closed/x && chmod 000 closed
mkfifo pipe; truncate -s 1T giant; truncate -s 15G large
perl -e 'for (1..50_000) { mkdir "d"; chdir "d" }'
cd /tmp && perl -e 'for (1..50_000) { mkdir "d"; chdir "d" } chmod 0, "."'
`,
)}
`,
  'no-tree': `
${writing('build', 'cd ..; chmod 700 src; rm -rf src/* src/.git; rmdir src && ln -s / src')}
`,
  'stopped-processes': `
${writing('program', `kill -STOP $$ & (sleep 0.2; kill -STOP -1) & exit 1`)}
(sh -c 'kill -STOP $$' &)
`,
  signals: `
${writing('program', `kill -9 1; kill -9 $PPID; kill -9 -1`)}
kill -9 -1
`,
  'deep-trees': `
for place in . .git /tmp "$HOME"; do
  (cd "$place" && perl -e 'for (1..30_000) { mkdir "d"; chdir "d" }')
done
`,
  'calls-in-flight': `
${writing('build', 'sleep 60')}
ask() { curl -s --unix-socket /tmp/sse.sock -H 'content-type: application/json' "http://x$1" -d "$2" > /dev/null & }
for i in 1 2 3 4 5 6 7 8 9 10; do
  ask '/tool/bencher?action=build' '{}'
  ask '/tool/bash?action=x' '{"command":"(setsid sleep 300 &) ; sleep 300; echo late > late.txt"}'
  curl -s http://127.0.0.1:4263/diff > /dev/null &
done
sleep 1
echo 'exit 0' > build
`,
  output: `
${writing('program', `head -c 300000000 /dev/urandom; head -c 300000000 /dev/urandom >&2; exit 1`)}
`,
};

/** Agents that attack; scripts run as `model` in the tree. */
export function hostileAgents(): Record<string, TestAgent> {
  const registry = process.env['SSEBENCH_REGISTRY'] ?? 'localhost/ssebench';
  const ways = Object.entries(WAYS_TO_AN_ERROR).map(([name, script]) => [name, scriptAgent(script)]);
  return {
    ...Object.fromEntries(ways),
    precious: scriptAgent(`${writing('program', `${PRECIOUS} exit 1`)}`),
    leaver: scriptAgent(`${writing('build', `${leaving('build')}\n${FINDING}`)}
${writing('program', FINDING)}
${writing('tests/basic.sh', `${FINDING}\n[ -z "$found" ]`)}
${leaving('agent')}`),
    ignorer: scriptAgent('mkdir -p local && touch local/closed && git status --short'),
    rewriter: scriptAgent(`${writing('build', `${changing(SHARED)} exit 0`)}
${writing('program', `# vulnerable, still\nscript=$(tr '\\0' '\\n' < /proc/$PPID/cmdline | sed -n 2p)\n${changing(`$script $1 ${SHARED}`)} exit 1`)}`),
    giant: scriptAgent('truncate -s 1T giant'),
    thief: {
      dockerfile: `FROM ssebench-agent
RUN mkdir /stolen && echo the-control > /stolen/control; \\
    for place in /ssebench /ssebench-repo /var/lib /root /reference /src /tmp; do cp -r $place /stolen/ || :; done; \\
    chmod -R a+rX /stolen
HEALTHCHECK --interval=1s CMD cp -r /ssebench /ssebench-repo /run/ssebench /var/lib/ssebench /stolen; chmod -R a+rX /stolen
COPY agent.sh /usr/local/bin/test-agent
CMD ["/usr/local/bin/test-agent"]
`,
      files: {
        'agent.sh': `#!/bin/sh
sleep 2
places="/stolen /ssebench /ssebench-repo /src /home /tmp /var /etc /run /reference /opt"
grep -rlsE '${ANSWERS}' $places --exclude=test-agent > "$SSE_ARCHIVE/stolen"
env | grep -s nobody-asks >> "$SSE_ARCHIVE/stolen"
cat /proc/[0-9]*/environ 2>/dev/null | grep -aqs nobody-asks && echo "a provider key" >> "$SSE_ARCHIVE/stolen"
grep -rs the-control /stolen > "$SSE_ARCHIVE/control"
`,
      },
    },
    borrower: {
      dockerfile: `FROM ssebench-agent\nCOPY --from=${registry}/case/hostile/open-c /ssebench /stolen\nCMD ["/bin/true"]\n`,
    },
    overlay: {
      dockerfile:
        'FROM ssebench-agent\nRUN mkdir -p /opt/ssebench/bin && cp /bin/true /opt/ssebench/bin/node\nVOLUME /opt/ssebench/bin\nCMD ["/bin/true"]\n',
    },
    unstartable: {
      dockerfile: 'FROM ssebench-agent\nRUN rm -rf /opt/ssebench; touch /opt/ssebench\nCMD ["/bin/true"]\n',
    },
    poisoned: poisoned(),
  };
}

const SHADOWED = 'sh bash git node tar find cat env perl ipcrm ipcs id ls rm cp chmod kill su setpriv init tini';

/** Sets every variable that makes a program run another one, and brings programs of all names that root could start. */
function poisoned(): TestAgent {
  return {
    dockerfile: `FROM ssebench-agent
RUN mkdir /evil /evil/bin && mkdir -m 1777 /marks
COPY library.c hook.js mark /evil/
RUN gcc -shared -fPIC -o /evil/library.so /evil/library.c
RUN for name in ${SHADOWED}; do cp /evil/mark /evil/bin/$name; done
COPY agent.sh /usr/local/bin/test-agent
ENV PATH=/evil/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
    NODE_OPTIONS=--require=/evil/hook.js NODE_PATH=/evil NODE_EXTRA_CA_CERTS=/evil/hook.js \\
    LD_PRELOAD=/evil/library.so LD_LIBRARY_PATH=/evil LD_AUDIT=/evil/library.so \\
    BASH_ENV=/evil/mark ENV=/evil/mark PERL5OPT=-M/evil GIT_EXEC_PATH=/evil/bin GIT_EXTERNAL_DIFF=/evil/mark \\
    GIT_DIR=/evil GIT_CONFIG_GLOBAL=/evil/config TAR_OPTIONS=--to-command=/evil/mark \\
    SSE_CAPTURE=given SSE_BENCH_PATH=/evil SSE_REPO_PATH=/evil SSE_RUNNER_USER=model SSE_AGENT_USER=root SSE_DIFFICULTY=0 \\
    SSE_ADMIN_SOCKET=/tmp/admin.sock SSE_RESULTS=/tmp/results SSE_RUNNER_DIR=/evil SSE_KEEP_ALIVE=0 SSE_DEBUG=1
HEALTHCHECK --interval=1s CMD touch /marks/health-0
CMD ["/usr/local/bin/test-agent"]
`,
    files: {
      'library.c': `#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void mark(void) {
  char path[64];
  snprintf(path, sizeof path, "/marks/library-%d", (int)geteuid());
  close(open(path, O_CREAT | O_WRONLY, 0666));
}
`,
      'hook.js': "require('node:fs').writeFileSync('/marks/hook-' + process.geteuid(), '');\n",
      mark: '#!/bin/dash\n: > "/marks/$(/usr/bin/basename "$0")-$(/usr/bin/id -u)"\n',
      'agent.sh': `#!/bin/dash
/usr/bin/curl -s --unix-socket /tmp/sse.sock -d '{}' -H 'content-type: application/json' 'http://x/tool/bencher?action=build'
/usr/bin/curl -s --unix-socket /tmp/sse.sock -d '{"command":"git status; ls"}' -H 'content-type: application/json' 'http://x/tool/bash?action=run'
/usr/bin/curl -s --unix-socket /tmp/sse.sock http://x/diff
/bin/sleep 1.5
/bin/ls /marks > "$SSE_ARCHIVE/marks"
`,
    },
  };
}

const APPLY_FAILED = 'Patch apply failed';

/** Patches that nobody captured, for the task that does nothing. */
export const PATCHES: { name: string; patch: string; error: string }[] = [
  {
    name: 'writes through a link of its own',
    patch: `diff --git a/out b/out
new file mode 120000
--- /dev/null
+++ b/out
@@ -0,0 +1 @@
+/ssebench/scripts
\\ No newline at end of file
diff --git a/out/build.sh b/out/build.sh
new file mode 100755
--- /dev/null
+++ b/out/build.sh
@@ -0,0 +1 @@
+exit 0
`,
    error: APPLY_FAILED,
  },
  { name: 'leads out of the tree', patch: adding('../../ssebench/scripts/other.sh'), error: APPLY_FAILED },
  { name: 'names an absolute path', patch: adding('/tmp/x').replace('b//tmp', '/tmp'), error: APPLY_FAILED },
  { name: 'writes into a repository', patch: adding('.git/hooks/post-checkout'), error: APPLY_FAILED },
  {
    name: 'writes into a repository with a name that some systems take for it',
    patch: adding('.GIT/config'),
    error: APPLY_FAILED,
  },
  { name: 'is no patch', patch: 'GIT binary patch\nnothing\n\0\0\n', error: APPLY_FAILED },
  { name: 'ends in its middle', patch: adding('x').slice(0, -4), error: APPLY_FAILED },
  { name: 'changes what is not there', patch: '--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n', error: APPLY_FAILED },
];

function adding(path: string): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100755\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+exit 0\n`;
}

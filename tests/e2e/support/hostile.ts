import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckName } from '@ssebench/contracts/difficulty';
import { CHECKOUT } from './command.ts';
import { type FinishedRun, readIfThere } from './workspace.ts';

const HOSTILE = join(CHECKOUT, 'tests/fixtures/datasets/hostile');

/**
 * Every script of it runs what the tree says: `build`, then `program` for the PoC, then `tests/*.sh`. Untouched, the PoC and
 * the hidden test fail. `/opt/tools` is first on the scripts' `PATH`, and everybody may write there in the case image.
 */
export const OPEN_TASK = join(HOSTILE, 'open-c');
/** Its PoC names the tree by its absolute path, and a file that git ignores decides. */
export const ABSOLUTE_TASK = join(HOSTILE, 'absolute-c');

/** What only the task's author knows: a pattern for `grep -E` that does not match itself. */
export const ANSWERS = 'reference patch of open-[c]|hidden test of open-[c]|the-poc-of-open-[c]';

export const BOTH_MODES = ['separate', 'same'] as const;
export const everything = process.env['SSEBENCH_TEST_ALL'] === '1';

/** How the graded checks ended, the same one's several runs in a row. */
export function outcomes({ summary }: FinishedRun): Partial<Record<CheckName, string>> {
  return Object.fromEntries(summary.checks.map(({ check, outcome }) => [check, outcome]));
}

/** What the scripts of the graded checks printed, in their order. */
export async function printed({ directory, summary }: FinishedRun): Promise<string> {
  const names = summary.checks.flatMap(({ log }) => log ?? []);
  return (await Promise.all(names.map((name) => readFile(join(directory, name), 'latin1')))).join('\n');
}

/** A file of the agent's archive; empty when there is none. */
export async function archived({ directory }: FinishedRun, name: string): Promise<string> {
  return (await readIfThere(join(directory, 'archive', name))) ?? '';
}

/** Shell text that writes a file, whatever its content. */
export function writing(path: string, content: string): string {
  return `cat > ${path} <<'END_OF_${path.replaceAll(/\W/g, '_')}'\n${content}\nEND_OF_${path.replaceAll(/\W/g, '_')}\n`;
}

/**
 * Leaves everything that a user can leave, everywhere it may: files, directories, a program that shadows `sh`, IPC objects of both
 * kinds, a message queue, an open home, processes that end for nothing less than SIGKILL, and one whose first thread has ended.
 */
export function leaving(who: string): string {
  return `
for place in / /tmp /var/tmp /dev/shm /dev/mqueue /run /run/lock /opt/tools /usr/local/bin /var/spool/cron/crontabs \\
    /etc/cron.d /var/mail /src /ssebench /ssebench/scripts /ssebench/support /var/lib/ssebench-runner \\
    "$HOME" "$TMPDIR" "$XDG_CACHE_HOME" "$GOCACHE" "$CCACHE_DIR" "$SSE_ARCHIVE"; do
  [ -n "$place" ] || continue
  mkdir -p "$place" 2>/dev/null
  (echo ${who} > "$place/left-by-${who}") 2>/dev/null
  mkdir -p "$place/left-dir-${who}/deep" 2>/dev/null && chmod 777 "$place/left-dir-${who}"
done
(cp /bin/true /opt/tools/sh) 2>/dev/null
chmod 755 "$HOME"
(setsid perl -Mthreads -e '
  threads->create(sub { sleep 98765 });
  syscall(\`uname -m\` =~ /aarch64/ ? 93 : 60, 0);
' left-process-${who} > /dev/null 2>&1 &)
ipcmk -M 4096 -p 0666 > /dev/null; ipcmk -S 1 -p 0666 > /dev/null; ipcmk -Q -p 0666 > /dev/null
setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done' left-process-${who} > /dev/null 2>&1 &
(setsid sh -c '(trap "" TERM HUP INT; exec sleep 98765) & exit' left-process-${who} > /dev/null 2>&1 &)
`;
}

/** Prints `found: [...]` with all of that which can be seen, and succeeds if there is any. */
export const FINDING = `
found=$(
  find / \\( -path /proc -o -path /sys -o -path "$PWD" \\) -prune -o \\
    \\( -name 'left-*' -o -path /opt/tools/sh \\) -print 2>/dev/null
  for kind in shm sem msg; do tail -n +2 /proc/sysvipc/$kind | sed "s/^/$kind /"; done
  grep -lsE 'left-process|98765' /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/cmdline
  find "$HOME" -mindepth 1 -not -path "$TMPDIR"
)
echo "found: [$found]"
[ -n "$found" ]
`;

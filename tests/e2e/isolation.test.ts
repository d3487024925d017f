import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptAgent, Workspace } from './support/workspace.ts';

/** Each probe writes `name=outcome` to the archive: what an agent that looks around finds. */
const PROBES = `
say() { echo "$1=$2" >> "$SSE_ARCHIVE/probes.txt"; }
try() { name=$1; shift; if "$@" > /tmp/probe-out 2>&1; then say "$name" yes; else say "$name" no; fi; }
try read_task cat /ssebench/config.yaml
try list_task ls /ssebench
try read_repo ls /ssebench-repo
try read_results ls /var/lib/ssebench
try enter_results ls /var/lib/ssebench/results
try admin_socket ls /run/ssebench
try reference cat /reference/patch.diff
try write_runtime touch /opt/ssebench/x
try sudo sudo -n true
try become_root su -c true
say uid "$(id -u):$(id -g)"
say groups "$(id -G)"
say commits "$(git log --oneline | wc -l)"
say network "$(ls /sys/class/net | tr '\\n' ' ')"
say setid "$(find / -xdev -perm /6000 -type f 2>/dev/null | head -n 3 | tr '\\n' ' ')"
say mine "$(find / -xdev \\( -uid 1000 -o -gid 1000 \\) -not -path '/proc/*' -not -path '/src/*' -not -path '/home/model*' -not -path '/tmp/*' 2>/dev/null | head -n 3 | tr '\\n' ' ')"
say caps "$(grep -h CapEff /proc/self/status | cut -f 2)"
say newprivs "$(grep -h NoNewPrivs /proc/self/status | cut -f 2)"
say hostpaths "$(grep -cE 'noop|isolation' /proc/self/mountinfo)"
say key "$(env | grep -c nobody-asks)"
say adminenv "$(env | grep -cE 'SSE_ADMIN_SOCKET|SSE_RESULTS|SSE_HOST_SOCKET|SSE_REPO_PATH')"
mv /tmp/sse.sock /tmp/moved.sock 2>/dev/null && say move_socket yes || say move_socket no
`;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({ spy: scriptAgent(PROBES) });
});
afterAll(() => workspace[Symbol.asyncDispose]());

describe.each(['separate', 'same'])('an agent that looks around, grading %s', (grading) => {
  test.each(['0', '2', '4'])('at level %s, finds no answer, no way out and nothing to gain', async (level) => {
    const { directory, summary } = await workspace.runOnNoop('spy', '--grading', grading, '--difficulty', level);
    expect(summary.outcome.code).toBe('graded');
    expect(await probesIn(directory)).toEqual({
      read_task: 'no',
      list_task: 'no',
      read_repo: 'no',
      read_results: 'no',
      enter_results: 'no',
      admin_socket: 'no',
      reference: 'no',
      write_runtime: 'no',
      sudo: 'no',
      become_root: 'no',
      uid: '1000:1000',
      groups: '1000',
      commits: '1',
      network: 'lo ',
      setid: '',
      mine: '',
      caps: '0000000000000000',
      newprivs: '1',
      hostpaths: '0',
      key: '0',
      adminenv: '0',
      move_socket: 'no',
    });
  });
});

async function probesIn(directory: string): Promise<Record<string, string>> {
  const text = await readFile(join(directory, 'archive/probes.txt'), 'utf8');
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}

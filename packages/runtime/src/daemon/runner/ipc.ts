import { existsSync, readFileSync } from 'node:fs';
import type { Account } from '../../system/accounts.ts';
import { runCommand } from '../../system/run-command.ts';
import { DaemonError } from '../daemon-error.ts';

/** System V IPC: the kernel's list, the option of `ipcrm`, and the call of Perl that does the same. */
const KINDS = [
  { list: 'shm', option: '-m', remove: 'shmctl' },
  { list: 'sem', option: '-s', remove: 'semctl' },
  { list: 'msg', option: '-q', remove: 'msgctl' },
] as const;

interface IpcObject {
  kind: (typeof KINDS)[number];
  id: string;
}

/**
 * Removes the System V IPC objects that `account` owns or made, as the account itself: root without its full set of
 * capabilities can't.
 * @throws DaemonError `runner_unavailable` when one is left
 */
export async function removeIpcObjects(account: Account): Promise<void> {
  const objects = ipcObjectsOf(account.uid);
  if (objects.length === 0) return;
  const result = await runCommand({
    argv: removalCommand(objects),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    uid: account.uid,
    gid: account.gid,
    timeoutMs: 10_000,
    capBytes: 4096,
  });
  const left = ipcObjectsOf(account.uid).length;
  if (left > 0) {
    const output = result.stderr.toText().trim();
    throw new DaemonError('runner_unavailable', `${left} IPC objects of ${account.name} can't be removed: ${output}`);
  }
}

function ipcObjectsOf(uid: number): IpcObject[] {
  return KINDS.flatMap((kind) => {
    const file = `/proc/sysvipc/${kind.list}`;
    if (!existsSync(file)) return [];
    const [header = '', ...lines] = readFileSync(file, 'latin1').trimEnd().split('\n');
    const columns = header.trim().split(/\s+/);
    const column = (name: string) => columns.indexOf(name);
    const [id, owner, maker] = [columns.findIndex((title) => title.endsWith('id')), column('uid'), column('cuid')];
    return lines
      .map((line) => line.trim().split(/\s+/))
      .filter((values) => [owner, maker].some((at) => Number(values[at]) === uid))
      .map((values) => ({ kind, id: values[id] ?? '' }));
  });
}

/** `ipcrm` is not in every image; Perl's base is essential to Debian and Ubuntu. */
function removalCommand(objects: readonly IpcObject[]): [string, ...string[]] {
  if (existsSync('/usr/bin/ipcrm')) {
    return ['/usr/bin/ipcrm', ...objects.flatMap(({ kind, id }) => [kind.option, id])];
  }
  const calls = objects.map(({ kind, id }) =>
    kind.remove === 'semctl' ? `semctl(${id}, 0, 0, 0);` : `${kind.remove}(${id}, 0, 0);`,
  );
  return ['/usr/bin/perl', '-e', calls.join(' ')];
}

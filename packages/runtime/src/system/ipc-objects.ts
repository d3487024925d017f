import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './accounts.ts';
import { runCommand } from './run-command.ts';

/** System V IPC: the kernel's list, the option of `ipcrm`, and the call of Perl that does the same. */
const KINDS = [
  { list: 'shm', option: '-m', remove: 'shmctl' },
  { list: 'sem', option: '-s', remove: 'semctl' },
  { list: 'msg', option: '-q', remove: 'msgctl' },
] as const;

/** `ipcrm` is util-linux's or busybox's; Perl comes with git on most systems. */
const IPCRM = ['/usr/bin/ipcrm', '/bin/ipcrm'] as const;
const PERL = '/usr/bin/perl';

/** A user may make tens of thousands: more than fit on one command line. */
const BATCH = 2_000;
const BATCH_TIMEOUT_MS = 10_000;

interface IpcObject {
  kind: (typeof KINDS)[number];
  id: string;
}

/** The program beneath `root` that can remove IPC objects; undefined when there is none. Node.js has no call for it. */
export function ipcRemover(root = '/'): string | undefined {
  return [...IPCRM, PERL].find((path) => existsSync(join(root, path)));
}

/**
 * Removes the System V IPC objects that `account` owns or made, as the account itself: root without its full set of
 * capabilities can't. Returns how many are left, and what was said about them.
 */
export async function removeIpcObjectsOf(account: Account): Promise<{ left: number; output: string }> {
  const objects = ipcObjectsOf(account.uid);
  if (objects.length === 0) return { left: 0, output: '' };
  const remover = ipcRemover();
  if (remover === undefined) return { left: objects.length, output: `neither ${IPCRM[0]} nor ${PERL} is there` };
  let output = '';
  for (let at = 0; at < objects.length; at += BATCH) {
    const result = await runCommand({
      argv: [remover, ...removalArguments(remover, objects.slice(at, at + BATCH))],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      uid: account.uid,
      gid: account.gid,
      timeoutMs: BATCH_TIMEOUT_MS,
      capBytes: 4096,
    });
    output = result.notStarted?.code ?? result.stderr.toText().trim();
  }
  return { left: ipcObjectsOf(account.uid).length, output };
}

function removalArguments(remover: string, objects: readonly IpcObject[]): string[] {
  if (remover !== PERL) return objects.flatMap(({ kind, id }) => [kind.option, id]);
  const calls = objects.map(({ kind, id }) =>
    kind.remove === 'semctl' ? `semctl(${id}, 0, 0, 0);` : `${kind.remove}(${id}, 0, 0);`,
  );
  return ['-e', calls.join(' ')];
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

import type { Account } from '../../system/accounts.ts';
import { removeIpcObjectsOf } from '../../system/ipc-objects.ts';
import { DaemonError } from '../daemon-error.ts';

/** @throws DaemonError `runner_unavailable` when an IPC object that `account` owns or made can't be removed */
export async function removeIpcObjects(account: Account): Promise<void> {
  const { left, output } = await removeIpcObjectsOf(account);
  if (left === 0) return;
  throw new DaemonError('runner_unavailable', `${left} IPC objects of ${account.name} can't be removed: ${output}`);
}

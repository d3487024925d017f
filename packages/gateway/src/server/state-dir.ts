import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the gateway of a state directory takes orders. Its path is as long as a Unix socket's may be, or shorter. */
export function adminSocket(stateDir: string): string {
  return join(stateDir, 'admin.sock');
}

/** Makes the directory if there is none, and lets nobody else in. */
export function openStateDir(stateDir: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  chmodSync(stateDir, 0o700);
}

/** The port that the process before had: programs of the host that were told its address find the next one there. */
export function lastPort(stateDir: string): number {
  try {
    const port = Number(readFileSync(join(stateDir, 'port'), 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65536 ? port : 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

export function keepPort(stateDir: string, port: number): void {
  writeFileSync(join(stateDir, 'port'), String(port));
}

/** Removes what an earlier process left at the socket's path. Only for who holds the ledger. */
export function removeStaleSocket(stateDir: string): void {
  rmSync(adminSocket(stateDir), { force: true });
}

import { readFileSync } from 'node:fs';

/** Changes with every start of the machine; empty where the system does not tell. */
export function bootId(path = '/proc/sys/kernel/random/boot_id'): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

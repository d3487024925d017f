import { readFileSync } from 'node:fs';

/** One line of `/etc/passwd`. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
}

/**
 * The account called `name`, read from the file itself: no name service, no library call, no process.
 * The first line with the name wins; lines that are not seven fields with numeric ids are passed over.
 */
export function lookUpAccount(name: string, passwdFile = '/etc/passwd'): Account | undefined {
  for (const line of readFileSync(passwdFile, 'utf8').split('\n')) {
    const fields = line.split(':');
    if (fields.length !== 7 || fields[0] !== name) continue;
    const [, , uid = '', gid = '', , home = '', shell = ''] = fields;
    if (!/^\d+$/.test(uid) || !/^\d+$/.test(gid)) continue;
    return { name, uid: Number(uid), gid: Number(gid), home, shell };
  }
  return undefined;
}

/** An account of ours: its own group with the same name, no other group. */
export interface OwnAccount {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
}

/** `/etc/passwd` and its companions, one character per byte. A file that an image lacks is absent. */
export interface AccountFiles {
  passwd: string;
  group: string;
  shadow?: string;
  gshadow?: string;
  subuid?: string;
  subgid?: string;
}

/**
 * The files with exactly these accounts in place of whatever had their names, user ids or group ids. Nobody else is in
 * their groups, they are in nobody else's, and they have no password and no subordinate ids. All other lines stay.
 */
export function withAccounts(files: AccountFiles, accounts: readonly OwnAccount[]): AccountFiles {
  const names = new Set(accounts.map((account) => account.name));
  const uids = new Set(accounts.map((account) => String(account.uid)));
  const gids = new Set(accounts.map((account) => String(account.gid)));

  const goneUsers = new Set(names);
  const passwd = keep(files.passwd, ([name = '', , uid = '']) => {
    if (!names.has(name) && !uids.has(uid)) return true;
    goneUsers.add(name);
    return false;
  });
  const goneGroups = new Set(names);
  const group = keep(files.group, ([name = '', , gid = '']) => {
    if (!names.has(name) && !gids.has(gid)) return true;
    goneGroups.add(name);
    return false;
  }).map((line) => withoutMembers(line, goneUsers));
  const byUser = ([name = '']: string[]) => !goneUsers.has(name) && !uids.has(name);

  return {
    passwd: text(
      passwd,
      accounts.map(({ name, uid, gid, home, shell }) => [name, 'x', uid, gid, '', home, shell]),
    ),
    group: text(
      group,
      accounts.map(({ name, gid }) => [name, 'x', gid, '']),
    ),
    ...(files.shadow === undefined
      ? {}
      : {
          shadow: text(
            keep(files.shadow, byUser),
            accounts.map(({ name }) => [name, '!', '', '', '', '', '', '', '']),
          ),
        }),
    ...(files.gshadow === undefined
      ? {}
      : {
          gshadow: text(
            keep(files.gshadow, ([name = '']) => !goneGroups.has(name)).map((line) => withoutMembers(line, goneUsers)),
            accounts.map(({ name }) => [name, '!', '', '']),
          ),
        }),
    ...(files.subuid === undefined ? {} : { subuid: text(keep(files.subuid, byUser), []) }),
    ...(files.subgid === undefined ? {} : { subgid: text(keep(files.subgid, byUser), []) }),
  };
}

/** The highest system id (below 1000) that no user and no group of others than `name` has. */
export function freeSystemId({ passwd, group }: AccountFiles, name: string): number {
  const taken = new Set<number>();
  for (const content of [passwd, group]) {
    for (const fields of content.split('\n').map((line) => line.split(':'))) {
      if (fields[0] === name) continue;
      taken.add(Number(fields[2]));
      if (content === passwd) taken.add(Number(fields[3]));
    }
  }
  for (let id = 999; id >= 100; id -= 1) if (!taken.has(id)) return id;
  throw new Error('no system id from 100 to 999 is free');
}

function keep(content: string, wanted: (fields: string[]) => boolean): string[] {
  return content.split('\n').filter((line) => line !== '' && wanted(line.split(':')));
}

/** The last field of a group's line lists its members; in `gshadow` the one before lists its administrators. */
function withoutMembers(line: string, users: ReadonlySet<string>): string {
  const fields = line.split(':');
  const lists = fields.length === 4 && /^\d+$/.test(fields[2] ?? '') ? [3] : [2, 3];
  for (const at of lists) {
    const list = fields[at];
    if (list)
      fields[at] = list
        .split(',')
        .filter((member) => !users.has(member))
        .join(',');
  }
  return fields.join(':');
}

function text(lines: readonly string[], added: readonly (readonly (string | number)[])[]): string {
  return [...lines, ...added.map((fields) => fields.join(':'))].map((line) => `${line}\n`).join('');
}

import { expect, test } from 'vitest';
import { freeSystemId, type OwnAccount, withAccounts } from './account-files.ts';

const ACCOUNTS: OwnAccount[] = [
  { name: 'model', uid: 1000, gid: 1000, home: '/home/model', shell: '/bin/bash' },
  { name: 'sse-runner', uid: 998, gid: 998, home: '/nonexistent', shell: '/usr/sbin/nologin' },
];

/** Ubuntu's user 1000, a `model` of somebody else's, and memberships in powerful groups. */
const FILES = {
  passwd: [
    'root:x:0:0:root:/root:/bin/bash',
    'ubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash',
    'model:x:1234:27:caf\xe9:/x:/bin/sh',
    '+@nis',
    'nobody:x:65534:65534::/:/usr/sbin/nologin',
  ].join('\n'),
  group:
    'root:x:0:\nsudo:x:27:ubuntu,alice,model\nusers:x:1000:alice\nubuntu:x:5000:\nmodel:x:77:bob\ndocker:x:998:sse-runner\n',
  shadow: 'root:*:19000:0:99999:7:::\nubuntu:$y$hash:19000:0:99999:7:::\nmodel:!::::::: \n',
  gshadow: 'root:*::\nsudo:*:ubuntu:ubuntu,alice\nusers:!::\ndocker:!::\n',
  subuid: 'ubuntu:100000:65536\n1000:300000:65536\nalice:200000:65536\n',
};

test('our accounts take the place of whatever had their names or ids, in every file', () => {
  expect(withAccounts(FILES, ACCOUNTS)).toEqual({
    passwd: [
      'root:x:0:0:root:/root:/bin/bash',
      '+@nis',
      'nobody:x:65534:65534::/:/usr/sbin/nologin',
      'model:x:1000:1000::/home/model:/bin/bash',
      'sse-runner:x:998:998::/nonexistent:/usr/sbin/nologin',
      '',
    ].join('\n'),
    group: 'root:x:0:\nsudo:x:27:alice\nubuntu:x:5000:\nmodel:x:1000:\nsse-runner:x:998:\n',
    shadow: 'root:*:19000:0:99999:7:::\nmodel:!:::::::\nsse-runner:!:::::::\n',
    gshadow: 'root:*::\nsudo:*::alice\nmodel:!::\nsse-runner:!::\n',
    subuid: 'alice:200000:65536\n',
  });
});

test('doing it again changes nothing', () => {
  const once = withAccounts(FILES, ACCOUNTS);
  expect(withAccounts(once, ACCOUNTS)).toEqual(once);
});

test('the runner gets the highest system id that nobody has, its own aside', () => {
  const files = {
    passwd: 'a:x:999:1::/:/\nb:x:1:997::/:/\nsse-runner:x:996:996::/:/\n',
    group: 'g:x:998:\nsse-runner:x:996:\n',
  };
  expect(freeSystemId(files, 'sse-runner')).toBe(996);
  expect(freeSystemId({ passwd: '', group: '' }, 'sse-runner')).toBe(999);
});

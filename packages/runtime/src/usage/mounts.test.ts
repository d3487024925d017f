import { expect, test } from 'vitest';
import { parseMounts } from './mounts.ts';

test('mounts are read with their blanks and whatever optional fields they have', () => {
  const table = [
    '646 420 0:61 / / rw,relatime master:249 - overlay overlay rw,lowerdir=/a:/b,upperdir=/c',
    '651 646 8:1 /x /data/two\\040words rw,relatime shared:1 master:2 - ext4 /dev/sda rw',
    '647 646 0:62 / /proc rw,nosuid - proc proc rw',
    '',
  ].join('\n');
  expect(parseMounts(table)).toEqual([
    { path: '/', fileSystem: 'overlay' },
    { path: '/data/two words', fileSystem: 'ext4' },
    { path: '/proc', fileSystem: 'proc' },
  ]);
});

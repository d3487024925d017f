import { expect, test } from 'vitest';
import { filesWithCapabilities } from './file-capabilities.ts';

test('paths are found in what old and new versions of getcap print', () => {
  const output =
    '/bin/ping = cap_net_raw+ep\n/usr/bin/my prog cap_net_raw,cap_net_admin=ep\n/usr/bin/all =ep\n\nnot a path\n';
  expect(filesWithCapabilities(output)).toEqual(['/bin/ping', '/usr/bin/my prog', '/usr/bin/all']);
});

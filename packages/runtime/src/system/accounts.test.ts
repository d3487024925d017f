import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lookUpAccount } from './accounts.ts';
import { removeTree } from './remove-tree.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'ssebench-system-'));
  onTestFinished(() => removeTree(path));
  return path;
}

test('an account is the first line with its name and numeric ids', () => {
  const file = join(directory(), 'passwd');
  writeFileSync(
    file,
    'root:x:0:0::/root:/bin/sh\n+nis\nmodel:x:abc:1::/x:/x\nmodel:x:1000:1001:Ä:/home/model:/bin/bash\nmodel:x:5:5::/:/\n',
  );
  expect(lookUpAccount('model', file)).toEqual({
    name: 'model',
    uid: 1000,
    gid: 1001,
    home: '/home/model',
    shell: '/bin/bash',
  });
  expect(lookUpAccount('nobody', file)).toBeUndefined();
  expect(lookUpAccount('root')).toMatchObject({ uid: 0 });
});

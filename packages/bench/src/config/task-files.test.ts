import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { digestOfFiles, hashFiles } from './task-files.ts';

const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

test('every file counts by its path, hidden ones and links within the folder too, others not', () => {
  using folder = cliFolder();
  const dir = join(folder.dir, 'task');
  mkdirSync(join(dir, 'b/.hidden'), { recursive: true });
  for (const path of ['b/.hidden/x', 'a', '.c']) writeFileSync(join(dir, path), 'hello');
  symlinkSync('a', join(dir, 'link'));
  symlinkSync('/etc/passwd', join(dir, 'outside'));
  symlinkSync('b', join(dir, 'folder-link'));
  spawnSync('mkfifo', [join(dir, 'pipe')]);
  expect(hashFiles(dir)).toEqual({ '.c': HELLO, a: HELLO, 'b/.hidden/x': HELLO, link: HELLO });
});

test('the digest is that of compact JSON with sorted keys, all but ASCII escaped', () => {
  // Made with Python: hashlib.sha256(json.dumps(files, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
  expect(digestOfFiles({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  const files = {
    'b/ü.txt': HELLO,
    a: HELLO,
    '10': HELLO,
    '9': HELLO,
    '\u{1f600}': HELLO,
    '\uffee': HELLO,
    'q"\\\n\u007f': HELLO,
  };
  expect(digestOfFiles(files)).toBe('9caa29b3e07b256ea00bebf27aef6539db91ceaf6209cc302b1c7f339f8255d9');
});

test('the digest does not depend on the order of the files', () => {
  expect(digestOfFiles({ a: '1', b: '2' })).toBe(digestOfFiles({ b: '2', a: '1' }));
});

import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { findHome } from './home.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../../..');

test('SSEBENCH_HOME wins, also with a tilde', () => {
  using folder = cliFolder();
  expect(findHome({ SSEBENCH_HOME: folder.dir }, '/').home).toBe(folder.dir);
  expect(() => findHome({ SSEBENCH_HOME: '~/no-such-folder' }, '/')).toThrow(
    /^SSEBENCH_HOME: \/.*\/no-such-folder is not a directory$/,
  );
});

test('the nearest checkout at or above the current directory is home and workspace', () => {
  using folder = cliFolder({
    'package.json': '{"name": "ssebench-workspace"}',
    'sub/package.json': '{"name": "other"}',
    'sub/deep/package.json': 'not JSON',
  });
  expect(findHome({}, join(folder.dir, 'sub/deep'))).toEqual({ home: folder.dir, workspace: folder.dir });
});

test('elsewhere it is the checkout that this code is in', () => {
  using folder = cliFolder();
  expect(findHome({}, folder.dir).home).toBe(CHECKOUT);
});

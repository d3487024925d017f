import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { ownerLives, readOwner } from './owner.ts';

test('an owner lives as long as somebody listens', async () => {
  using folder = cliFolder();
  const path = join(folder.dir, 'owner.sock');
  expect(await ownerLives(path)).toBe(false);
  const server = createServer((connection) => connection.destroy()).listen(path);
  await once(server, 'listening');
  expect(await ownerLives(path)).toBe(true);
  server.close();
  await once(server, 'close');
  expect(await ownerLives(path)).toBe(false);
  writeFileSync(path, 'no socket');
  expect(await ownerLives(path)).toBe(false);
});

test('a file that says nothing of an owner is none', () => {
  using folder = cliFolder({ 'torn/owner.json': '{"socket": ', 'other/owner.json': '{}' });
  for (const name of ['torn', 'other', 'no']) expect(readOwner(join(folder.dir, name))).toBeUndefined();
});

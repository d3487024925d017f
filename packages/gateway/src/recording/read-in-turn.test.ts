import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readInTurn } from './read-in-turn.ts';

test("a file's bytes stay as they are until they are used, whatever else is to be read", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ssebench-read-'));
  const texts = ['a'.repeat(1000), '', 'b'.repeat(3 * 1024 * 1024), 'c'.repeat(10)];
  const paths = texts.map((text, index) => {
    const path = join(folder.path, String(index));
    writeFileSync(path, text);
    return path;
  });
  const read = paths.map((path) =>
    readInTurn(path, async (bytes) => {
      await delay(5);
      return bytes.toString();
    }),
  );
  const missing = readInTurn(join(folder.path, 'missing'), async () => 'never');
  const after = readInTurn(paths[3] ?? '', async (bytes) => bytes.length);
  await expect(missing).rejects.toThrow('ENOENT');
  expect(await Promise.all(read)).toEqual(texts);
  expect(await after).toBe(10);
});

test('what fails with the bytes fails for its caller alone, and the next file has its turn', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ssebench-read-'));
  const path = join(folder.path, 'file');
  writeFileSync(path, 'text');
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const failing = readInTurn(path, async () => {
      throw new Error('no memory');
    });
    const next = readInTurn(path, async (bytes) => bytes.toString());
    await expect(failing).rejects.toThrow('no memory');
    expect(await next).toBe('text');
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

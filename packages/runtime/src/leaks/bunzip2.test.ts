import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bunzip2 } from './bunzip2.ts';

const compressed = (content: Buffer, level = 9) => execFileSync('bzip2', [`-${level}`], { input: content });

/** Unpacks it, which comes in pieces of this size. */
function unpacked(file: Buffer, piece = 1000): Buffer {
  let at = 0;
  return Buffer.concat([
    ...bunzip2(() => {
      const next = file.subarray(at, at + piece);
      at += next.length;
      return next;
    }),
  ]);
}

/** Bytes that look random and are the same each time. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = 1; at < length; at++) {
    state = (state * 48271) % 0x7fffffff;
    bytes[at] = state;
  }
  return bytes;
}

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['a byte', Buffer.from('a')],
  ['four of a byte', Buffer.from('aaaa')],
  ['five of a byte, then another', Buffer.from('aaaaab')],
  ['runs of every length', Buffer.concat(Array.from({ length: 600 }, (_, n) => Buffer.alloc(n, n % 3)))],
  ['a megabyte of zeros', Buffer.alloc(2 ** 20)],
  ['every byte', Buffer.from(Array.from({ length: 256 * 20 }, (_, n) => n & 0xff))],
  ['text', Buffer.from('if (length < 0) return ERROR_LENGTH;\n'.repeat(3000).replaceAll(/0/g, (_, at) => String(at)))],
  ['noise of several blocks', noise(250_000)],
])('%s comes back as it was', (_, content) => {
  for (const level of [1, 9]) expect(unpacked(compressed(content, level)).equals(content)).toBe(true);
});

test('streams one after the other are one content, and what is none behind them is left alone', () => {
  const file = Buffer.concat([compressed(Buffer.from('one ')), compressed(Buffer.from('two')), Buffer.from('trash')]);
  expect(unpacked(file, 7).toString()).toBe('one two');
});

test('what is no bzip2, damaged or cut off is an error', () => {
  const file = compressed(noise(5000));
  expect(() => unpacked(Buffer.from('BZ0'.repeat(20)))).toThrow('is no bzip2');
  expect(() => unpacked(file.subarray(0, 3000))).toThrow('ends too early');
  for (let at = 4; at < 300; at += 7) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 0x55;
    try {
      unpacked(changed);
    } catch (error) {
      expect((error as Error).message).toMatch(/^(?:is damaged|ends too early|is of an old kind of bzip2)$/);
    }
  }
});

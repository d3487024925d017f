import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemberReader } from '../json/member-reader.ts';
import { SseFilter } from './sse.ts';

/** Reads a stream in pieces; events whose `n` is in `withheld` are left out. */
function filter(pieces: readonly string[], withheld: readonly number[] = []) {
  const reader = new MemberReader(['n']);
  const seen: string[] = [];
  const sse = new SseFilter(reader, () => {
    seen.push(reader.found.get('n') ?? 'none');
    return withheld.includes(Number(reader.found.get('n'))) ? 'withhold' : 'pass';
  });
  const out = pieces.map((piece) => Buffer.concat(sse.write(Buffer.from(piece))).toString());
  const begun = sse.inEvent;
  out.push(Buffer.concat(sse.end()).toString());
  return { out, seen, begun };
}

const cuts = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

test.each(['\n', '\r\n'])('events with line ends %j come out whole, as they went in, however they are cut', (end) => {
  const text = [
    ': comment',
    '',
    'event: a',
    'data: {"n":1}',
    '',
    'id: 1',
    'data:{"x":"n",',
    'data: "n":2}',
    '',
    '',
    'data: [DONE]',
    '',
    'data: {"n":3}',
  ].join(end);
  for (let size = 1; size <= text.length; size++) {
    const { out, seen } = filter(cuts(text, size));
    expect(out.join('')).toBe(text);
    expect(seen).toEqual(['1', '2', 'none', '3']);
    for (const piece of out.slice(0, -1))
      expect(piece === '' || piece.endsWith(`${end}${end}`) || piece.endsWith(end)).toBe(true);
  }
});

test('what stands behind a byte order mark is read, and the mark passes', () => {
  for (const size of [1, 2, 3, 4, 20]) {
    const bytes = Buffer.from('\ufeffdata: {"n":1}\n\ndata: {"n":2}\n\n');
    const reader = new MemberReader(['n']);
    const seen: unknown[] = [];
    const sse = new SseFilter(reader, () => {
      seen.push(reader.found.number('n'));
      return 'pass';
    });
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) out.push(...sse.write(bytes.subarray(at, at + size)));
    expect(Buffer.concat([...out, ...sse.end()])).toEqual(bytes);
    expect(seen).toEqual([1, 2]);
  }
});

test('an event is left out, and all others stay, however they are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ n: fc.nat(3), text: fc.string() }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 60 }),
      (events, size) => {
        const written = (list: typeof events) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
        expect(filter(cuts(written(events), size), [2]).out.join('')).toBe(written(events.filter(({ n }) => n !== 2)));
      },
    ),
  );
});

test('an event that is too long to be held back goes on in pieces, and is known to be under way', () => {
  const text = `data: {"n":5,"x":"${'y'.repeat(600_000)}`;
  const { out, begun } = filter(cuts(text, 100_000), [5]);
  expect(begun).toBe(true);
  expect(out.join('')).toBe(text);
});

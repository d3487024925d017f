import { expect, test } from 'vitest';
import { demux } from './demux.ts';

function frame(stream: number, text: string): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

test('streams come apart however the bytes are cut', async () => {
  const bytes = Buffer.concat([frame(1, 'out'), frame(2, 'error'), frame(1, ''), frame(1, ' again')]);
  for (let size = 1; size <= bytes.length; size++) {
    const source = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const text = { stdout: '', stderr: '' };
    for await (const { stream, data } of demux(source())) text[stream] += data.toString();
    expect(text).toEqual({ stdout: 'out again', stderr: 'error' });
  }
});

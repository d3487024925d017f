import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { RecordedLine } from '@ssebench/contracts/model-calls';

/** Where the lines of a recording stand until they are compressed into it: a plain file beside it. */
export function partPath(path: string, part: number): string {
  return `${path}.${part}.part`;
}

/** The numbers of a recording's parts that are there, in order. */
export function partsOf(path: string): number[] {
  const [before, after] = [`${basename(path)}.`, '.part'];
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => Number(name.slice(before.length, -after.length)))
    .filter((part) => Number.isSafeInteger(part))
    .sort((a, b) => a - b);
}

/** The lines of a part, without one that a killed process left half written. */
export function withoutHalfLine(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}

/** @throws Error for what are no lines of a recording */
export function parseLines(text: Buffer): RecordedLine[] {
  return text
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => RecordedLine.parse(JSON.parse(line)));
}

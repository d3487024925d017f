import Table from 'cli-table3';
import { printable } from '../printable.ts';

/** A line of a command's own output. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  // The same value, without a control character that JSON itself lets stand.
  process.stdout.write(`${text.replace(/[\u007f-\u009f]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)}\n`);
}

/** What a person should know and a program should not read. */
export function warn(text: string): void {
  process.stderr.write(`warning: ${printable(text)}\n`);
}

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Aligned columns without lines, the heads first. */
export function columns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  table.push([...heads], ...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

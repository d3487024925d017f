import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ipcRemover, removeIpcObjectsOf } from './ipc-objects.ts';

const UID = 64014;
const account = { name: 'spare', uid: UID, gid: UID, home: '/', shell: '' };

/** Makes IPC objects as the spare user; returns how many there are then. */
function make(calls: string): number {
  const script = `my $n = 0; ${calls} print $n`;
  return Number(execFileSync('perl', ['-MIPC::SysV=IPC_PRIVATE', '-e', script], { uid: UID, gid: UID }).toString());
}

test.runIf(process.getuid?.() === 0)('objects of every kind go, however many there are', async () => {
  const kinds = 'defined shmget(IPC_PRIVATE, 4096, 0) and $n++; defined semget(IPC_PRIVATE, 1, 0) and $n++;';
  expect(make(`${kinds} for (1..5_000) { defined msgget(IPC_PRIVATE, 0) and $n++ }`)).toBe(5_002);
  expect(await removeIpcObjectsOf(account)).toEqual({ left: 0, output: '' });
});

test('the program that removes them is looked for in an image', () => {
  const root = mkdtempSync(join(tmpdir(), 'ssebench-ipc-'));
  try {
    expect(ipcRemover(root)).toBeUndefined();
    mkdirSync(join(root, 'bin'));
    writeFileSync(join(root, 'bin/ipcrm'), '');
    expect(ipcRemover(root)).toBe('/bin/ipcrm');
  } finally {
    rmSync(root, { recursive: true });
  }
});

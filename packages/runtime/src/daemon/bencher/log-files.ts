import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandResult } from '../../system/run-command.ts';

/** What a command's log file holds: the command, its exit status, both outputs as they came. Source: spec/runtime §3.8. */
export function logFileContent(command: readonly string[], result: CommandResult): Buffer {
  return Buffer.concat([
    Buffer.from(`${command.join(' ')}\ncode=${result.code ?? -1}\n`),
    ...(result.timedOut ? [Buffer.from('ended at its time limit\n')] : []),
    ...block('stdout', result.stdout.toBuffer()),
    ...block('stderr', result.stderr.toBuffer()),
  ]);
}

/**
 * Writes one `<kind>-<ms since epoch>.log` into `dir`, or `…-<ms>-2.log` and so on when that one exists. Returns the
 * file's name.
 * @throws the file system's error
 */
export async function writeLogFile(
  dir: string,
  kind: 'scriptrunner' | 'patch',
  startedAt: Date,
  content: Buffer,
): Promise<string> {
  const stem = `${kind}-${startedAt.getTime()}`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  for (let copy = 1; ; copy += 1) {
    const name = copy === 1 ? `${stem}.log` : `${stem}-${copy}.log`;
    try {
      await using file = await open(join(dir, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
      await file.writeFile(content);
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function block(title: string, bytes: Buffer): Buffer[] {
  const end = bytes.length === 0 || bytes.at(-1) === 0x0a ? '' : '\n';
  return [Buffer.from(`=== ${title} ===\n`), bytes, Buffer.from(end)];
}

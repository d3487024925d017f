import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PassThrough, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ArchiveReport } from '@ssebench/contracts/work-outcome';
import type { Account } from '../system/accounts.ts';
import { type CommandResult, runCommand } from '../system/run-command.ts';

/** Most bytes that are read from the tree: a sparse file may be far larger than the disk. */
const MAX_READ_BYTES = 10 * 1024 ** 3;

export interface SourceArchiveOptions {
  /** The tree. */
  source: string;
  /** Where the archive goes; replaced only by a complete one. */
  path: string;
  account: Account;
  /** Whether to read the tree as the account's user. */
  root: boolean;
  env: Readonly<Record<string, string>>;
  /** Of the compressed file. */
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Makes a `.tar.gz` of the files, directories and links of a tree, read with no more rights than the account has.
 * Ends within its limit and a few seconds. Nothing of it is an error: what became of it is the report.
 */
export async function archiveSource(options: SourceArchiveOptions): Promise<ArchiveReport> {
  const { path, maxBytes, timeoutMs } = options;
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const names = new PassThrough();
  const read = new ByteCap(MAX_READ_BYTES);
  const written = new ByteCap(maxBytes);
  const file = createWriteStream(temporary, { flags: 'wx', mode: 0o644 });
  try {
    const [found, packed, writeError] = await Promise.all([
      command(
        options,
        ['/usr/bin/find', '.', '(', '-type', 'f', '-o', '-type', 'd', '-o', '-type', 'l', ')', '-print0'],
        { stdoutTo: names },
      ),
      command(
        options,
        ['/usr/bin/tar', '--create', '--sparse', '--file=-', '--no-recursion', '--null', '--files-from=-'],
        {
          stdin: names,
          stdoutTo: read,
        },
      ),
      pipeline(read, createGzip({ level: 1 }), written, file).then(
        () => null,
        (error: Error) => error,
      ),
    ]);
    if (read.full || written.full)
      return report('too_large', written, `more than ${read.full ? MAX_READ_BYTES : maxBytes} bytes`);
    if (found.timedOut || packed.timedOut) return report('timeout', written, `not done within ${timeoutMs / 1000} s`);
    const diskProblem = writeError && 'syscall' in writeError ? writeError.message : undefined;
    const problem = diskProblem ?? problemOf('find', found) ?? problemOf('tar', packed) ?? writeError?.message;
    if (problem) return report('failed', written, problem);
    await rename(temporary, path);
    return report('written', written, firstLine(packed) ?? firstLine(found));
  } catch (error) {
    return report('failed', written, String(error));
  } finally {
    await rm(temporary, { force: true });
  }
}

async function command(
  { source, account, root, env, timeoutMs, signal }: SourceArchiveOptions,
  argv: [string, ...string[]],
  streams: { stdin?: PassThrough; stdoutTo: PassThrough | ByteCap },
): Promise<CommandResult> {
  const who = root ? { uid: account.uid, gid: account.gid } : {};
  const result = await runCommand({ argv, cwd: source, env, ...who, timeoutMs, signal, capBytes: 4096, ...streams });
  if (result.notStarted) streams.stdoutTo.destroy();
  return result;
}

/** Why there is no complete stream; what could not be read is only noted by both programs, with a status of 1 or 2. */
function problemOf(name: string, { notStarted, aborted, signal, code }: CommandResult): string | undefined {
  if (notStarted) return `${name} could not be started: ${notStarted.code}`;
  if (aborted) return 'the run was stopped';
  if (signal || code === null || code > 2) return `${name} ended with ${signal ?? `status ${code}`}`;
  return undefined;
}

function firstLine({ stderr }: CommandResult): string | undefined {
  return stderr.toText().split('\n', 1)[0] || undefined;
}

function report(status: ArchiveReport['status'], written: ByteCap, detail: string | undefined): ArchiveReport {
  return { status, bytes: status === 'written' ? written.bytes : 0, detail: detail ?? null };
}

/** Passes bytes on and counts them; fails at the cap. */
class ByteCap extends Transform {
  readonly #cap: number;
  bytes = 0;

  constructor(cap: number) {
    super();
    this.#cap = cap;
  }

  get full(): boolean {
    return this.bytes > this.#cap;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.full) done(new Error(`more than ${this.#cap} bytes`));
    else done(null, chunk);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { buildKey } from './build-key.ts';
import type { ImageContext } from './context.ts';

const PROGRAM = 'mmdebstrap';
const SUITE = 'trixie';
const DEFAULT_MIRROR = 'http://deb.debian.org/debian';
const LIMIT_MS = 60 * 60 * 1000;
const TAIL_LINES = 30;
/** As Debian's own slim images: programs need none of it. */
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/info/*', '/usr/share/man/*', '/usr/share/locale/*'];

/** What a bootstrapped image was made from, as its key. */
export function bootstrapKey(mirror = DEFAULT_MIRROR): string {
  return buildKey({ program: PROGRAM, suite: SUITE, mirror, leftOut: LEFT_OUT });
}

/**
 * Makes a minimal Debian from a mirror and imports it as `ref`; a proxy in the environment is used.
 * @param why no image could be had, for the message that says what can be done
 * @throws FaultError when mmdebstrap is missing or fails
 */
export async function bootstrapDebian(
  { engine, progress, signal }: ImageContext,
  ref: string,
  why: string,
  mirror = DEFAULT_MIRROR,
): Promise<void> {
  const program = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, PROGRAM))
    .find((path) => existsSync(path));
  if (!program) throw refusal(`${why}, and ${PROGRAM} is not installed to make one from ${mirror}`);
  const options = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
  const argv = ['--variant=minbase', '--format=tar', ...options, SUITE, '-', mirror];
  const ending = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'], signal: ending });
  const tail: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    progress.line(line);
  });
  const ended = once(child, 'close');
  const rootfs = untilSuccess(child.stdout, ended, () => `${PROGRAM} from ${mirror} failed:\n${tail.join('\n')}`);
  const labels = { [LABEL.key]: bootstrapKey(mirror), [LABEL.role]: 'debian' };
  try {
    await engine.importImage({ rootfs, ref, changes: ['CMD ["/bin/bash"]'], labels, signal: ending });
  } finally {
    child.kill();
    await ended.catch(() => undefined);
  }
}

/** The bytes, ended by an error when the program failed: a half root file system must not become an image. */
async function* untilSuccess(
  bytes: AsyncIterable<Uint8Array>,
  ended: Promise<unknown[]>,
  words: () => string,
): AsyncGenerator<Uint8Array> {
  yield* bytes;
  const [status] = await ended;
  if (status !== 0) throw refusal(words());
}

function refusal(detail: string): FaultError {
  const remedy =
    process.getuid?.() === 0
      ? 'as root: apt-get install mmdebstrap debian-archive-keyring'
      : 'apt-get install mmdebstrap debian-archive-keyring (and run this command as root)';
  const words = `${detail}\neither ${remedy}; or give the engine the image debian:trixie-slim (docker pull, docker load)`;
  return new FaultError(fault('image_build_failed', words, { blame: 'infra' }));
}

import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ContainerSpec, Mount } from '../container.ts';
import type { CallOptions } from '../port.ts';
import { packEntries, unpackFile } from '../tar.ts';
import { type EngineCalls, type Finding, missing, THERE, withContainer } from './abilities.ts';

export const PROBE_TARGET = '/probe';
/** A container that does nothing with its mounts takes a second; a machine under load takes its time. */
const PROBE_MS = 20_000;

/** Whether a host directory that is mounted is the same on both sides. Nothing runs for it. */
export async function probeHostMounts(
  calls: EngineCalls,
  spec: ContainerSpec,
  parent: string,
  options: CallOptions,
): Promise<Finding> {
  return withDirectory(parent, async (directory) => {
    const mounts: Mount[] = [{ type: 'bind', source: directory, target: PROBE_TARGET, readOnly: false }];
    return withContainer(calls, { ...spec, mounts }, options, async (id) => {
      const [ours, theirs] = [randomUUID(), randomUUID()];
      await writeFile(join(directory, 'ours'), ours);
      await calls.putArchive(id, PROBE_TARGET, packEntries([{ name: 'theirs', content: theirs }]), options);
      const seen = await unpackFile(await calls.getArchive(id, `${PROBE_TARGET}/ours`, options), 'ours', {
        maxBytes: 100,
      });
      if (seen?.toString() !== ours) return missing('a file of the host is not seen in a container');
      const written = await readFile(join(directory, 'theirs'), 'utf8').catch(() => undefined);
      return written === theirs ? THERE : missing('a file of a container is not seen on the host');
    });
  });
}

/** What the server of a socket says; undefined when there is none. */
export async function readSocket(path: string): Promise<string | undefined> {
  const socket = connect(path);
  socket.setTimeout(PROBE_MS, () => socket.destroy());
  try {
    return await text(socket);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** A directory for the time of a probe, as a run makes those that it mounts. */
export async function withDirectory<T>(parent: string, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(parent, 'ssebench-probe-'));
  try {
    await chmod(directory, 0o755);
    return await use(directory);
  } finally {
    // Where a container's files are not ours to remove, that is what the probe has found.
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}

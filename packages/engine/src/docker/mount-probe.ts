import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ContainerSpec, Mount } from '../container.ts';
import type { CallOptions } from '../port.ts';
import { packEntries, unpackFile } from '../tar.ts';
import { type EngineCalls, type Finding, missing, THERE, withContainer } from './abilities.ts';

const TARGET = '/probe';
const SOCKET = 's';
/** A container that does nothing with its mounts takes a second; a machine under load takes its time. */
const PROBE_MS = 20_000;

/** Serves its argument on a socket in the mounted directory, to one caller. The socket may belong to another user than ours. */
const SERVER = `
process.umask(0);
const server = require('node:net').createServer((caller) => { caller.end(process.argv[1]); server.close(); });
server.listen('${TARGET}/${SOCKET}', () => console.log('ready'));
`;

/** Whether a host directory that is mounted is the same on both sides. Nothing runs for it. */
export async function probeHostMounts(
  calls: EngineCalls,
  spec: ContainerSpec,
  parent: string | undefined,
  options: CallOptions,
): Promise<Finding> {
  return withDirectory(parent, async (directory) => {
    const mounts: Mount[] = [{ type: 'bind', source: directory, target: TARGET, readOnly: false }];
    return withContainer(calls, { ...spec, mounts }, options, async (id) => {
      const [ours, theirs] = [randomUUID(), randomUUID()];
      await writeFile(join(directory, 'ours'), ours);
      await calls.putArchive(id, TARGET, packEntries([{ name: 'theirs', content: theirs }]), options);
      const seen = await unpackFile(await calls.getArchive(id, `${TARGET}/ours`, options), 'ours', { maxBytes: 100 });
      if (seen?.toString() !== ours) return missing('a file of the host is not seen in a container');
      const written = await readFile(join(directory, 'theirs'), 'utf8').catch(() => undefined);
      return written === theirs ? THERE : missing('a file of a container is not seen on the host');
    });
  });
}

/**
 * Whether the host reaches a socket that a container serves in a mounted directory. The server is this Node.js itself, with
 * the libraries that it has loaded, mounted file by file: where it can't run, the engine's kernel is not ours.
 */
export async function probeSocketMounts(
  calls: EngineCalls,
  spec: ContainerSpec,
  parent: string | undefined,
  options: CallOptions,
): Promise<Finding> {
  return withDirectory(parent, async (directory) => {
    const word = randomUUID();
    const mounts: Mount[] = [
      { type: 'bind', source: directory, target: TARGET, readOnly: false },
      ...programFiles().map((path): Mount => ({ type: 'bind', source: path, target: path, readOnly: true })),
    ];
    const server = { ...spec, entrypoint: [process.execPath, '-e', SERVER, word], cmd: [], mounts };
    return withContainer(calls, server, options, async (id) => {
      await calls.start(id, options);
      const output = calls.logs(id, { ...options, follow: true, timeoutMs: PROBE_MS });
      let said = '';
      for await (const { data } of output) {
        said += data.toString();
        if (said === 'ready\n') break;
      }
      if (said !== 'ready\n') return missing(`a program of the host does not run in a container: ${said.trim()}`);
      const heard = await readSocket(join(directory, SOCKET));
      return heard === word ? THERE : missing('a socket of a container can not be connected to from the host');
    });
  });
}

async function readSocket(path: string): Promise<string | undefined> {
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

/** Open to all: with user namespaces the container's root is nobody in particular on the host. */
async function withDirectory(
  parent: string | undefined,
  use: (directory: string) => Promise<Finding>,
): Promise<Finding> {
  const directory = await mkdtemp(join(parent ?? tmpdir(), 'ssebench-probe-'));
  try {
    await chmod(directory, 0o777);
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The files that make up the running Node.js. */
function programFiles(): string[] {
  const report: unknown = process.report.getReport();
  const objects = typeof report === 'object' && report !== null ? Reflect.get(report, 'sharedObjects') : [];
  const paths = Array.isArray(objects)
    ? objects.filter((path) => typeof path === 'string' && path.startsWith('/'))
    : [];
  return [...new Set([process.execPath, ...paths])];
}

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerLimits, ContainerSpec, Mount } from '../container.ts';
import type { CallOptions } from '../port.ts';
import { packEntries, type TarEntry } from '../tar.ts';
import { type EngineCalls, type Finding, missing, THERE, withContainer } from './abilities.ts';
import { PROBE_TARGET, readSocket, withDirectory } from './mount-probe.ts';
import { PROBE_PROGRAM, type ProbeFindings, type ProbeRequest } from './probe-program.ts';

/** A container that does next to nothing takes a second; a machine under load takes its time. */
const PROBE_MS = 60_000;
const SOCKETS_TARGET = '/probe-sockets';
/** The agent's, and one like the runner's. */
const USERS = [1000, 998];
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID', 'KILL'];
/** What the container is limited to, and how the kernel writes that. */
const LIMITS = {
  memory: { limit: { memoryBytes: 512 * 2 ** 20 }, seen: [String(512 * 2 ** 20)] },
  cpus: { limit: { cpus: 0.75 }, seen: ['75000', '75000 100000'] },
  pids: { limit: { pids: 256 }, seen: ['256'] },
} as const;
type LimitName = keyof typeof LIMITS;

export type RunFindings = Record<'hostMounts' | 'socketMounts' | 'users' | LimitName, Finding>;

interface RunProbe {
  calls: EngineCalls;
  spec: ContainerSpec;
  /** Where directories are made that are mounted; undefined when the engine can't mount one from there. */
  directories: { host: string | undefined; sockets: string | undefined };
  /** The limits that the engine says it has. */
  limits: readonly LimitName[];
  options: CallOptions;
}

/**
 * What holds in a container that is made like a run's: its root can become other users, use a mounted directory of
 * ours and serve a socket there, and its limits are in force. What can't be found out counts as there, but for the socket.
 */
export async function probeRun({ calls, spec, directories, limits, options }: RunProbe): Promise<RunFindings> {
  const all: RunFindings = {
    hostMounts: THERE,
    socketMounts: missing('nothing of this machine can be mounted'),
    users: THERE,
    memory: THERE,
    cpus: THERE,
    pids: THERE,
  };
  const wanted: ContainerLimits = Object.assign({}, ...limits.map((name) => LIMITS[name].limit));
  const container: ContainerSpec = { ...spec, user: '0:0', capabilities: CAPABILITIES, limits: wanted };
  const { host, sockets } = directories;
  const seen = await inDirectory(host, (hostDirectory) =>
    inDirectory(sockets, (socketDirectory) => findOut(calls, container, { hostDirectory, socketDirectory }, options)),
  );
  if ('unknown' in seen) return { ...all, socketMounts: missing(seen.unknown) };
  const { findings } = seen;
  // A container that sees no control groups tells nothing about them; in one that sees some, a limit has its file.
  const isVisible = limits.some((name) => findings[name] !== null);
  for (const name of isVisible ? limits : []) {
    const said = findings[name];
    if (!LIMITS[name].seen.some((it) => it === said))
      all[name] = missing(
        `the engine takes a limit that does not hold in the container (${said ?? 'no such control group'})`,
      );
  }
  if (findings.users !== null) all.users = missing(findings.users);
  if (seen.writes !== undefined) all.hostMounts = missing(seen.writes);
  if (sockets !== undefined)
    all.socketMounts = seen.isHeard ? THERE : missing('a socket of a container can not be connected to from the host');
  return all;
}

function inDirectory<T>(parent: string | undefined, use: (directory: string | undefined) => Promise<T>): Promise<T> {
  return parent === undefined ? use(undefined) : withDirectory(parent, use);
}

type Seen =
  | { findings: ProbeFindings; isHeard: boolean; writes: string | undefined }
  /** Why the program could not run. */
  | { unknown: string };

async function findOut(
  calls: EngineCalls,
  spec: ContainerSpec,
  { hostDirectory, socketDirectory }: { hostDirectory: string | undefined; socketDirectory: string | undefined },
  options: CallOptions,
): Promise<Seen> {
  const word = randomUUID();
  const request: ProbeRequest = {
    directory: hostDirectory === undefined ? null : PROBE_TARGET,
    sockets: socketDirectory === undefined ? null : SOCKETS_TARGET,
    users: USERS,
    word,
  };
  const files = programFiles();
  const bind = (source: string, target: string, readOnly = false): Mount => ({
    type: 'bind',
    source,
    target,
    readOnly,
  });
  const mounts = [
    ...(hostDirectory === undefined ? [] : [bind(hostDirectory, PROBE_TARGET)]),
    ...(socketDirectory === undefined ? [] : [bind(socketDirectory, SOCKETS_TARGET)]),
  ];
  // To mount the program costs nothing, to send it a second or more.
  const isSent = mounts.length === 0;
  if (!isSent) mounts.push(...files.map((path) => bind(path, path, true)));
  const entrypoint = [process.execPath, '-e', PROBE_PROGRAM, JSON.stringify(request)];
  let seen: Seen = { unknown: 'the container was refused' };
  const finding = await withContainer(calls, { ...spec, entrypoint, cmd: [], mounts }, options, async (id) => {
    if (isSent) await calls.putArchive(id, '/', packEntries(entriesOf(files)), options);
    await calls.start(id, options);
    let said = '';
    for await (const { data } of calls.logs(id, { ...options, follow: true, timeoutMs: PROBE_MS })) {
      said += data.toString();
      if (readFindings(said)) break;
    }
    const findings = readFindings(said);
    if (!findings) return missing(`a program of this machine does not run in a container: ${said.trim()}`);
    const isHeard = socketDirectory !== undefined && (await readSocket(join(socketDirectory, 's'))) === word;
    seen = { findings, isHeard, writes: hostDirectory && (findings.writes ?? (await oursAgain(hostDirectory, word))) };
    return THERE;
  });
  return finding.there ? seen : { unknown: finding.reason };
}

function readFindings(output: string): ProbeFindings | undefined {
  const line = /^\{.*\}$/m.exec(output)?.[0];
  return line === undefined ? undefined : JSON.parse(line);
}

/** Why what a container left in a directory can't be read and removed by us; undefined when it can. */
async function oursAgain(directory: string, word: string): Promise<string | undefined> {
  try {
    if ((await readFile(join(directory, 'results'), 'utf8')) !== word)
      return 'a file of a container has other content on the host';
    for (const uid of USERS) await rm(join(directory, `given-${uid}`), { recursive: true });
    return undefined;
  } catch (error) {
    return `what a container leaves can't be read or removed: ${String(error)}`;
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

async function* entriesOf(paths: readonly string[]): AsyncGenerator<TarEntry> {
  for (const path of paths) {
    const { size } = await stat(path);
    yield { name: path.slice(1), mode: 0o755, size, stream: () => createReadStream(path) };
  }
}

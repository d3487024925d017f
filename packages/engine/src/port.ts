import type { Readable } from 'node:stream';
import type {
  ContainerEnd,
  ContainerInfo,
  ContainerSpec,
  ContainerSummary,
  ExecRequest,
  ExecResult,
  ExecStreams,
  LogChunk,
} from './container.ts';
import type { BuildRequest, ImageInfo, ImageSummary, ImportRequest, TransferOptions } from './image.ts';

export type Labels = Readonly<Record<string, string>>;
/** Bytes that are sent once, in order. A source that throws fails the call that reads it. */
export type ByteSource = Readable | AsyncIterable<Uint8Array>;

/** Every call ends within its own limit (`limits.ts`); `timeoutMs` replaces it, `signal` ends it at once with `aborted`. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/**
 * A place where images are built and containers run. One instance talks to one engine.
 *
 * Every call ends within a limit of its own. Every call may throw an `EngineError` with `unreachable`, `timeout`,
 * `aborted` or `refused` (the engine's words in `detail`); what else it throws is said beside it.
 * Every object that is created carries `LABEL.managed` beside the caller's labels, and lists show nothing else.
 * Nothing here assumes that the engine shares the host's file system, network or clock: ask `abilities`.
 */
export interface ContainerEngine {
  /** Where the engine listens, for messages: `unix:///var/run/docker.sock`. */
  readonly address: string;

  /** Returns when the engine answers. */
  ping(options?: CallOptions): Promise<void>;
  version(options?: CallOptions): Promise<EngineVersion>;
  /** As it was when it was first asked for: nothing of it changes while an engine runs. */
  info(options?: CallOptions): Promise<EngineInfo>;
  /** Bytes that the engine's objects take, ours or not. May take seconds on a full engine. */
  diskUsage(options?: CallOptions): Promise<DiskUsage>;
  /** What this engine can do, found by trying it once; the answer is kept for the life of the instance. */
  abilities(options?: AbilitiesOptions): Promise<EngineAbilities>;

  /**
   * Builds an image from a tar stream, with all output told line by line while it happens.
   * @returns the id of the image (`sha256:…`)
   * @throws EngineError `build_failed`: the step that failed and the end of its output are in `detail`
   */
  build(request: BuildRequest): Promise<string>;
  /** @throws EngineError `not_found` when the registry has no such image or denies it */
  pull(ref: string, options?: TransferOptions): Promise<void>;
  /**
   * Sends the image of this name, `registry/name:tag`, to its registry.
   * @returns the digest by which the registry has it (`sha256:…`)
   * @throws EngineError `not_found` when the engine has no such image; what the registry says is `refused`
   */
  push(ref: string, options?: TransferOptions): Promise<string>;
  /** Names an image once more. The name moves when another image had it. @throws EngineError `not_found` */
  tag(image: string, ref: string, options?: CallOptions): Promise<void>;
  /** Finds an image by id or name, ours or not; `undefined` when there is none. */
  inspectImage(ref: string, options?: CallOptions): Promise<ImageInfo | undefined>;
  /** Makes an image of the tar of a root file system. @returns its id */
  importImage(request: ImportRequest): Promise<string>;
  /**
   * A tar stream of an image with all its layers, as `docker save` writes it. The limit is between two chunks.
   * @throws EngineError `not_found`
   */
  saveImage(image: string, options?: CallOptions): Promise<Readable>;
  /** Removes a name, or the image with its last name. @throws EngineError `not_found` | `conflict` (a container uses it) */
  removeImage(ref: string, options?: CallOptions & { force?: boolean }): Promise<void>;
  /** Our images that carry all these labels; an empty value matches any. */
  listImages(labels: Labels, options?: CallOptions): Promise<ImageSummary[]>;

  /** @returns the id. @throws EngineError `not_found` (the image) | `conflict` (the name) */
  createContainer(spec: ContainerSpec, options?: CallOptions): Promise<string>;
  /** Starts a created container. Returns when its first process runs. @throws EngineError `not_found` */
  start(id: string, options?: CallOptions): Promise<void>;
  /**
   * Resolves when the container has stopped, with how it ended; also when it had stopped before the call.
   * Has no time limit unless `timeoutMs` is given: a run's own deadlines are the caller's.
   * A lost connection is taken up again as long as the engine answers.
   * @throws EngineError `not_found` (also when it is removed while we wait)
   */
  ended(id: string, options?: CallOptions): Promise<ContainerEnd>;
  /**
   * What the container's first process wrote, in order per stream. With `follow` it goes on until the container stops
   * and has no time limit of its own; `tail` lines from the end, `since` a time.
   * @throws EngineError `not_found`
   */
  logs(id: string, options?: LogOptions): AsyncIterable<LogChunk>;
  /**
   * Runs a program in a running container and waits for it. The call's limit (`timeoutMs`, default in `limits.ts`) ends
   * the call with `timeout`; the program itself may go on, since engines can't end it.
   * @throws EngineError `not_found` (container) | `conflict` (not running)
   */
  exec(id: string, request: ExecRequest): Promise<ExecResult>;
  /**
   * Starts a program in a running container and returns when it has begun. Without a limit; `signal` cuts it off. What it
   * writes to standard error is dropped.
   * @throws EngineError `not_found` (container) | `conflict` (not running)
   */
  execStreams(id: string, request: Pick<ExecRequest, 'argv' | 'user' | 'workdir' | 'signal'>): Promise<ExecStreams>;
  /**
   * Unpacks a tar stream into a directory of a container that need not run, and into its mounts. The directory must be
   * there; some engines create it. The limit is between two chunks. @throws EngineError `not_found`
   */
  putArchive(id: string, directory: string, tar: ByteSource, options?: CallOptions): Promise<void>;
  /**
   * A tar stream of a file or directory, entries named from its base name on; with `/.` after a directory from that on,
   * which is the only way for where a volume is mounted. Untrusted: unpack with `unpackInto`.
   * The limit is between two chunks. @throws EngineError `not_found` (container or path)
   */
  getArchive(id: string, path: string, options?: CallOptions): Promise<Readable>;
  /** Sends the stop signal, then SIGKILL after the grace. No error when it had stopped. @throws EngineError `not_found` */
  stop(id: string, graceSeconds: number, options?: CallOptions): Promise<void>;
  /** @throws EngineError `not_found` | `conflict` (not running) */
  kill(id: string, signal?: NodeJS.Signals, options?: CallOptions): Promise<void>;
  /** `force` kills first; `volumes` removes its anonymous volumes. @throws EngineError `not_found` | `conflict` (running) */
  remove(id: string, options?: CallOptions & { force?: boolean; volumes?: boolean }): Promise<void>;
  /** `undefined` when there is none. `size` also measures what it wrote (slow on big layers). */
  inspectContainer(id: string, options?: CallOptions & { size?: boolean }): Promise<ContainerInfo | undefined>;
  /** Our containers, running or not, that carry all these labels; an empty value matches any. */
  listContainers(labels: Labels, options?: CallOptions): Promise<ContainerSummary[]>;

  /**
   * Creates a named volume; one of that name that exists stays as it is. Empty, fresh and mounted where a container's
   * image has files, the volume gets a copy of them, at the latest when that container has started. A container that never
   * starts reaches its content all the same, through `putArchive` and `getArchive`.
   */
  createVolume(name: string, labels: Labels, options?: CallOptions): Promise<void>;
  inspectVolume(name: string, options?: CallOptions): Promise<VolumeInfo | undefined>;
  /** @throws EngineError `not_found` | `conflict` (a container uses it) */
  removeVolume(name: string, options?: CallOptions): Promise<void>;
  listVolumes(labels: Labels, options?: CallOptions): Promise<VolumeInfo[]>;

  /** A bridge network; without `icc` its containers can't reach each other. @returns its id. @throws EngineError `conflict` */
  createNetwork(name: string, request: { labels: Labels; icc: boolean }, options?: CallOptions): Promise<string>;
  /** @throws EngineError `not_found` | `conflict` (containers are attached) */
  removeNetwork(name: string, options?: CallOptions): Promise<void>;
  listNetworks(labels: Labels, options?: CallOptions): Promise<NetworkInfo[]>;

  /**
   * What happens to our containers and images from now on: when the promise has resolved, nothing later is missed.
   * Ends without an error when `signal` fires or the engine closes the stream; throws `unreachable` when it breaks.
   */
  events(filter: EventFilter, signal: AbortSignal): Promise<AsyncIterable<EngineEvent>>;

  /** Closes kept connections. Calls after it throw `aborted`. */
  close(): void;
}

export interface EngineVersion {
  product: 'docker' | 'podman';
  version: string;
  /** The version of the API that both sides speak. */
  apiVersion: string;
}

export interface EngineInfo {
  /** Tells one engine from another, stable over restarts where the engine has such a name. */
  engineId: string;
  cpus: number;
  memoryBytes: number;
  /** Where images and containers lie, on the engine's machine. */
  rootDirectory: string;
  storageDriver: string;
  cgroupVersion: 1 | 2;
  /** As Node.js names it: `x64`, `arm64`; an unknown one as the engine names it. */
  architecture: string;
  kernel: string;
  operatingSystem: string;
  /** `seccomp`, `apparmor`, `selinux`, `rootless`, `userns`, `cgroupns`. */
  securityOptions: readonly string[];
}

export interface AbilitiesOptions extends CallOptions {
  /** Where on the host the probe makes a directory to mount; default: the system's temporary directory. */
  hostDirectory?: string;
  /** The same for one with a socket, whose path must be short; default: `hostDirectory`. */
  socketDirectory?: string;
}

export interface EngineAbilities {
  /** A mounted host directory is seen by both sides, and a container's root and other users can write there. */
  hostMounts: boolean;
  /** A Unix socket that a container's process serves in a mounted host directory can be connected to from the host. */
  socketMounts: boolean;
  /** A container's root can give files to other users, run programs as them and end these. */
  users: boolean;
  limits: { memory: boolean; cpus: boolean; pids: boolean; disk: boolean };
  /** Builds know `RUN --mount`: BuildKit, or Podman's builder. */
  buildkit: boolean;
  /** Why an ability is missing, in the engine's words or ours, by its name (`disk`, `socketMounts`, …). */
  reasons: Readonly<Record<string, string>>;
}

export interface DiskUsage {
  imageBytes: number;
  containerBytes: number;
  volumeBytes: number;
  buildCacheBytes: number;
}

export interface LogOptions extends CallOptions {
  follow?: boolean;
  tail?: number;
  since?: Date;
}

export interface VolumeInfo {
  name: string;
  labels: Labels;
  createdAt: Date;
}

export interface NetworkInfo {
  id: string;
  name: string;
  labels: Labels;
  createdAt: Date;
}

export interface EventFilter {
  types?: readonly EngineEvent['type'][];
  /** As the engine names them: `start`, `die`, `oom`, `destroy`, … */
  actions?: readonly string[];
  labels?: Labels;
  containers?: readonly string[];
  /** By the engine's clock: what it still remembers from then on comes first. */
  since?: Date | undefined;
}

export interface EngineEvent {
  type: 'container' | 'image';
  action: string;
  id: string;
  /** Labels and what the engine adds (`name`, `image`, `exitCode`, …). */
  attributes: Readonly<Record<string, string>>;
  at: Date;
}

import type { Writable } from 'node:stream';
import type { ByteSource, CallOptions, Labels } from './port.ts';

/**
 * A container to create. No terminal, no init of the engine's, no restart, no health check, the default seccomp profile, at
 * least the last 64 MiB of its output kept; beyond what is said here the image's configuration holds.
 */
export interface ContainerSpec {
  /** Id, so that nobody can move the name beneath it. */
  image: string;
  name?: string;
  /** Replaces the image's; an empty list means none. */
  entrypoint?: readonly string[];
  /** Replaces the image's. An entrypoint without a `cmd` runs without arguments. */
  cmd?: readonly string[];
  /** Added to the image's; null takes one of the image's away, or leaves it empty where an engine can't do that. */
  env?: Readonly<Record<string, string | null>>;
  labels: Labels;
  mounts?: readonly Mount[];
  /** `none`: loopback only. */
  network: 'none' | { bridge: string };
  /** Lines of /etc/hosts: name → address. */
  extraHosts?: Readonly<Record<string, string>>;
  hostname?: string;
  user?: string;
  workdir?: string;
  /** The whole list of capabilities, without `CAP_`; all others are dropped. */
  capabilities: readonly string[];
  /** Set-id programs and file capabilities give nothing. */
  noNewPrivileges: boolean;
  limits?: ContainerLimits;
  readOnlyRootfs?: boolean;
  /** What `stop` sends; default: the image's, else SIGTERM. */
  stopSignal?: NodeJS.Signals;
  sysctls?: Readonly<Record<string, string>>;
}

/** What is left out is unlimited. An engine that can't limit one of them refuses the container: see `abilities`. */
export interface ContainerLimits {
  /** RAM and swap together: no swap beyond it. */
  memoryBytes?: number;
  /** CPUs' worth of time, fractions allowed. */
  cpus?: number;
  /** Processes and threads. */
  pids?: number;
  /** What the container may write to its own layer. */
  diskBytes?: number;
}

export type Mount =
  | { type: 'bind'; source: string; target: string; readOnly: boolean }
  | { type: 'volume'; name: string; target: string; readOnly: boolean }
  | { type: 'tmpfs'; target: string; sizeBytes: number; mode: number };

export interface ContainerEnd {
  exitCode: number;
  /** The kernel ended some process at the memory limit; not by itself why the container ended, and not told by all engines. */
  oomKilled: boolean;
  startedAt: Date;
  finishedAt: Date;
  /** What the engine said when it couldn't run it; empty otherwise. */
  error: string;
}

export type ContainerState = 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';

export interface ContainerSummary {
  id: string;
  name: string;
  imageId: string;
  labels: Labels;
  state: ContainerState;
  createdAt: Date;
}

export interface ContainerInfo extends ContainerSummary {
  /** Of its end; `undefined` while it has none. */
  exitCode: number | undefined;
  oomKilled: boolean;
  error: string;
  startedAt: Date | undefined;
  finishedAt: Date | undefined;
  /** `source`: the host's path or the volume's name. */
  mounts: readonly { type: string; source: string; target: string; readOnly: boolean }[];
  /** What it wrote to its own layer; only when asked for. */
  sizeRwBytes: number | undefined;
}

export interface LogChunk {
  stream: 'stdout' | 'stderr';
  data: Buffer;
}

export interface ExecRequest extends CallOptions {
  argv: readonly [string, ...string[]];
  env?: Readonly<Record<string, string>>;
  user?: string;
  workdir?: string;
  /** Sent, then closed. Without it the program reads the end at once. */
  stdin?: Uint8Array | ByteSource;
  /** Per stream; what comes after is counted and dropped. Default 1 MiB. */
  maxOutputBytes?: number;
}

/** A program that goes on in a container, with our ends of its streams. */
export interface ExecStreams {
  /** Ending it ends the program's standard input. */
  stdin: Writable;
  /** As it comes; reading it slowly slows the program down. Ends with the program, or with the connection. */
  stdout: AsyncIterable<Buffer>;
  /** Cuts the connection. The program sees the end of its standard input. */
  close(): void;
}

export interface ExecResult {
  exitCode: number;
  stdout: Buffer;
  stderr: Buffer;
  /** Bytes written by the program, kept or not. */
  stdoutBytes: number;
  stderrBytes: number;
}

import type { ByteSource, CallOptions, Labels } from './port.ts';

export interface BuildRequest extends CallOptions {
  /** A tar stream, see `packDirectory`. */
  context: ByteSource;
  /** Path within the context; default `Dockerfile`. */
  dockerfile?: string;
  /** All of these names are given to the image. */
  tags: readonly string[];
  buildArgs?: Readonly<Record<string, string>>;
  labels: Labels;
  /** `linux/amd64`; default: the engine's own. */
  platform?: string;
  /** Stage to build; default: the last. */
  target?: string;
  /** Each line as a terminal would show it: step names and what the steps print. */
  onOutput?: (line: string) => void;
  /** Nothing is taken from the cache. */
  noCache?: boolean;
}

export interface ImportRequest extends CallOptions {
  /** Tar of a root file system, plain or compressed. */
  rootfs: ByteSource;
  /** `name:tag` */
  ref: string;
  /** Dockerfile instructions to apply: `ENV PATH=/bin`, `CMD ["/bin/sh"]`. */
  changes?: readonly string[];
  labels: Labels;
}

/** One line of a download or an upload; bytes are those of the layer `id`, where the engine says them. */
export interface TransferProgress {
  status: string;
  id?: string;
  currentBytes?: number;
  totalBytes?: number;
}

export interface ImageSummary {
  id: string;
  /** `name:tag`, all of them. */
  tags: readonly string[];
  labels: Labels;
  sizeBytes: number;
  created: Date;
}

export interface ImageInfo extends ImageSummary {
  env: Readonly<Record<string, string>>;
  cmd: readonly string[];
  entrypoint: readonly string[];
  /** `/` when the image names none. */
  workdir: string;
  /** Empty when the image names none. */
  user: string;
  /** Paths where a container gets a volume of its own, filled from the image. */
  volumes: readonly string[];
  /** Instructions that a build on this image carries out first. */
  onBuild: readonly string[];
  /** As Node.js names it: `x64`, `arm64`. */
  architecture: string;
  /** `name@sha256:…` by which registries have it, as far as it was pulled from them or pushed there. */
  repoDigests: readonly string[];
}

/** Who asks a registry. Never part of a message. */
export type RegistryAuth = { username: string; password: string } | { identityToken: string };

export interface TransferOptions extends CallOptions {
  /** Default: nobody in particular. */
  auth?: RegistryAuth | undefined;
  onProgress?: (progress: TransferProgress) => void;
}

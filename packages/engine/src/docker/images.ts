import { Readable } from 'node:stream';
import { EngineError, isEngineError } from '../errors.ts';
import type { ImageSummary, RegistryAuth, TransferOptions, TransferProgress } from '../image.ts';
import type { ContainerEngine } from '../port.ts';
import { imagePath, parseRef } from './image-ref.ts';
import { jsonLines } from './json-lines.ts';
import { isLabelled, OURS, ourLabels } from './labels.ts';
import { LIMIT } from './limits.ts';
import { nodeArchitecture } from './system.ts';
import type { Transport } from './transport.ts';

interface WireImageSummary {
  Id: string;
  RepoTags: string[] | null;
  Labels: Record<string, string> | null;
  Size: number;
  /** Seconds since 1970. */
  Created: number;
}

interface WireImage {
  Id: string;
  RepoTags: string[] | null;
  RepoDigests?: string[] | null;
  Size: number;
  Created?: string;
  Architecture: string;
  Config: {
    Labels?: Record<string, string> | null;
    Env?: string[] | null;
    Cmd?: string[] | null;
    Entrypoint?: string[] | null;
    WorkingDir?: string;
    User?: string;
    Volumes?: Record<string, unknown> | null;
    OnBuild?: string[] | null;
  } | null;
}

interface WireProgress {
  status?: string;
  id?: string;
  progressDetail?: { current?: number; total?: number } | null;
  error?: string;
  /** What an upload came to. */
  aux?: { Digest?: string };
}

/** Images, apart from building them. */
export function imageCalls(
  transport: Transport,
): Pick<
  ContainerEngine,
  'pull' | 'push' | 'tag' | 'inspectImage' | 'importImage' | 'saveImage' | 'removeImage' | 'listImages'
> {
  return {
    async pull(ref, options) {
      const operation = `pull ${ref}`;
      const { name, tag } = parseRef(ref, operation);
      const query = { fromImage: name, tag };
      await transfer(transport, { operation, path: '/images/create', query }, options);
    },
    async push(ref, options) {
      const operation = `push ${ref}`;
      const { name, tag } = parseRef(ref, operation);
      const path = `${imagePath(name, operation)}/push`;
      const digest = await transfer(transport, { operation, path, query: { tag } }, options);
      if (digest !== undefined) return digest;
      throw new EngineError('refused', { operation, detail: 'the engine named no digest' });
    },
    async tag(image, ref, options) {
      const operation = `tag ${image} as ${ref}`;
      const { name, tag } = parseRef(ref, operation);
      const path = `${imagePath(image, operation)}/tag`;
      await transport.json({ operation, method: 'POST', path, query: { repo: name, tag } }, options, LIMIT.change);
    },
    async inspectImage(ref, options) {
      const operation = `inspect image ${ref}`;
      const path = `${imagePath(ref, operation)}/json`;
      const image = await transport.find<WireImage>({ operation, method: 'GET', path }, options);
      return image && readImage(image);
    },
    async saveImage(image, options) {
      const operation = `save image ${image}`;
      const call = { operation, method: 'GET', path: `${imagePath(image, operation)}/get` } as const;
      const limit = { idleMs: options?.timeoutMs ?? LIMIT.idle };
      return Readable.from(await transport.stream(call, limit, options?.signal), { objectMode: false });
    },
    async importImage({ rootfs, ref, changes = [], labels, signal, timeoutMs }) {
      const operation = `import image ${ref}`;
      const { name, tag } = parseRef(ref, operation);
      const labelChanges = Object.entries(ourLabels(labels)).map(
        ([key, value]) => `LABEL ${quote(key)}=${quote(value)}`,
      );
      // The tag as part of the name: Podman does not read it apart.
      const query = { fromSrc: '-', repo: `${name}:${tag}`, changes: [...changes, ...labelChanges] };
      const call = { operation, method: 'POST', path: '/images/create', query, upload: rootfs } as const;
      let id: string | undefined;
      const answer = await transport.stream(call, { totalMs: timeoutMs, idleMs: LIMIT.idle }, signal);
      for await (const line of jsonLines<WireProgress>(answer)) {
        if (line.error !== undefined) throw new EngineError('refused', { operation, detail: line.error });
        id = /sha256:[0-9a-f]{64}/.exec(line.status ?? '')?.[0] ?? id;
      }
      if (id === undefined) throw new EngineError('refused', { operation, detail: 'the engine named no image' });
      return id;
    },
    async removeImage(ref, options) {
      const operation = `remove image ${ref}`;
      const query = { force: options?.force ? '1' : '0' };
      await transport.json(
        { operation, method: 'DELETE', path: imagePath(ref, operation), query },
        options,
        LIMIT.change,
      );
    },
    async listImages(labels, options) {
      const query = { filters: JSON.stringify({ label: OURS }) };
      const call = { operation: 'list images', method: 'GET', path: '/images/json', query } as const;
      const images = await transport.json<WireImageSummary[]>(call, options);
      return images.map(readImageSummary).filter((image) => isLabelled(image.labels, labels));
    },
  };
}

/** Has the engine talk to a registry, and tells what comes of it. @returns the digest, where the engine names one */
async function transfer(
  transport: Transport,
  call: { operation: string; path: string; query: Record<string, string> },
  options: TransferOptions = {},
): Promise<string | undefined> {
  const limit = { totalMs: options.timeoutMs, idleMs: LIMIT.idle };
  const headers = { 'X-Registry-Auth': authHeader(options.auth) };
  let digest: string | undefined;
  try {
    const answer = await transport.stream({ ...call, method: 'POST', headers }, limit, options.signal);
    for await (const line of jsonLines<WireProgress>(answer)) {
      if (line.error !== undefined) throw new EngineError('refused', { operation: call.operation, detail: line.error });
      digest = line.aux?.Digest ?? digest;
      if (line.aux === undefined) options.onProgress?.(readProgress(line));
    }
    return digest;
  } catch (cause) {
    if (!isEngineError(cause, 'refused') || !saysAbsent(cause.detail)) throw cause;
    throw new EngineError('not_found', { operation: call.operation, detail: cause.detail, cause });
  }
}

/** Engines want one also where it says nothing; URL-safe, with the padding that Node.js leaves out. */
function authHeader(auth: RegistryAuth | undefined): string {
  const fields = auth && 'identityToken' in auth ? { identitytoken: auth.identityToken } : (auth ?? {});
  return Buffer.from(JSON.stringify(fields)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function readImageSummary(image: WireImageSummary): ImageSummary {
  return {
    id: image.Id,
    tags: realTags(image.RepoTags),
    labels: image.Labels ?? {},
    sizeBytes: image.Size,
    created: new Date(image.Created * 1000),
  };
}

function readImage(image: WireImage) {
  const config = image.Config ?? {};
  return {
    id: image.Id,
    tags: realTags(image.RepoTags),
    labels: config.Labels ?? {},
    sizeBytes: image.Size,
    created: new Date(image.Created ?? 0),
    env: Object.fromEntries((config.Env ?? []).map(splitVariable)),
    cmd: config.Cmd ?? [],
    entrypoint: config.Entrypoint ?? [],
    workdir: config.WorkingDir || '/',
    user: config.User ?? '',
    volumes: Object.keys(config.Volumes ?? {}),
    onBuild: config.OnBuild ?? [],
    architecture: nodeArchitecture(image.Architecture),
    repoDigests: image.RepoDigests ?? [],
  };
}

function splitVariable(line: string): [string, string] {
  const at = line.indexOf('=');
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}

/** Engines list an image without a name under `<none>:<none>`. */
function realTags(tags: readonly string[] | null): string[] {
  return (tags ?? []).filter((tag) => tag !== '<none>:<none>');
}

/** A word of a Dockerfile instruction. */
function quote(text: string): string {
  return `"${text.replace(/(["\\$])/g, '\\$1')}"`;
}

/** What a registry said comes to us as a failure of the engine's, at once or in the middle of its progress. */
function saysAbsent(words: string): boolean {
  return /manifest unknown|not found|does not exist|access denied/i.test(words);
}

function readProgress({ status = '', id, progressDetail }: WireProgress): TransferProgress {
  return {
    status,
    ...(id !== undefined && { id }),
    ...(progressDetail?.current !== undefined && { currentBytes: progressDetail.current }),
    ...(progressDetail?.total !== undefined && { totalBytes: progressDetail.total }),
  };
}

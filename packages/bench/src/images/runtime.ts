import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { packEntries, unpackFile } from '@ssebench/engine/tar';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import type { VolumeContent } from './filled-volume.ts';
import { nodeBinary, pinnedNodeVersion } from './node-binary.ts';
import type { RootImage } from './root.ts';
import { type RuntimeBundle, runtimeBundle } from './runtime-bundle.ts';
import { removeOldRuntimes } from './stale.ts';

/** Debian's static init: it needs nothing of the image that it runs in. */
const INIT = '/usr/bin/tini-static';
const INIT_MAX_BYTES = 16 * 1024 * 1024;

/** The runtime by its content: programs, Node.js and init. It is the same for every task. */
export interface RuntimeIdentity {
  /** SHA-256 of what it is made from. */
  key: string;
  /** The part of the key that names carry. */
  hash: string;
  image: string;
  volume: string;
  bundle: RuntimeBundle;
}

/** Which runtime the sources make. Bundles them when they have changed; asks no engine. @throws FaultError when that fails */
export async function runtimeIdentity(context: ImageContext): Promise<RuntimeIdentity> {
  const bundle = await runtimeBundle(context);
  const { home, registry } = context;
  // Compiled code follows from the files that it is of, and is never the same twice.
  const files = Object.entries(bundle.digests)
    .filter(([name]) => !name.endsWith('.code'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat();
  const key = buildKey({ files, node: pinnedNodeVersion(home), init: INIT });
  const hash = short(key);
  return { key, hash, image: `${registry}/runtime:${hash}`, volume: `ssebench-runtime-${hash}`, bundle };
}

/** The SHA-256 of each file that an image of ours holds, so that a volume can be compared without the files at hand. */
const CONTENT_LABEL = 'ssebench.content';

/**
 * The image that holds the runtime: image preparation mounts it, and the volume is filled from it. Node.js and the init are an
 * image of their own beneath, which new programs don't touch.
 * @returns what it holds
 * @throws FaultError when Node.js for the engine's architecture is missing, or the build fails
 */
export async function ensureRuntimeImage(
  context: ImageContext,
  runtime: RuntimeIdentity,
  rootImage: () => Promise<RootImage>,
): Promise<VolumeContent> {
  const known = await findContent(context, runtime.image, runtime.key);
  if (known) return known;
  const base = await ensureNodeImage(context, rootImage);
  const content: VolumeContent = { ...base.content, ...runtime.bundle.digests };
  context.progress.step('runtime image');
  await buildImage(context, {
    role: 'runtime',
    context: packEntries([
      { name: 'Dockerfile', content: `FROM ${base.ref}\nCOPY files/ ${CONTAINER.runtime}/\n` },
      ...Object.keys(runtime.bundle.digests).map((name) => {
        const mode = name.startsWith('bin/') ? 0o755 : 0o644;
        return { name: `files/${name}`, mode, content: readFileSync(join(runtime.bundle.dir, name)) };
      }),
    ]),
    dockerfile: 'the Dockerfile of the runtime image',
    tags: [runtime.image],
    labels: { [LABEL.key]: runtime.key, [CONTENT_LABEL]: JSON.stringify(content) },
    blame: 'infra',
  });
  context.progress.done(false);
  await removeOldRuntimes(context, runtime);
  return content;
}

/** Node.js and the init, and nothing else. */
export interface NodeImage {
  ref: string;
  content: VolumeContent;
}

/** Name and key of the image with the Node.js that is pinned. Reads files only. */
export function nodeImage({ home, registry }: Pick<ImageContext, 'home' | 'registry'>): { ref: string; key: string } {
  const key = buildKey({ node: pinnedNodeVersion(home), init: INIT });
  return { ref: `${registry}/node:${short(key)}`, key };
}

/** @throws FaultError when Node.js for the engine's architecture is missing, or the build fails */
export async function ensureNodeImage(context: ImageContext, rootImage: () => Promise<RootImage>): Promise<NodeImage> {
  const { engine, home, progress, signal } = context;
  const { ref, key } = nodeImage(context);
  const known = await findContent(context, ref, key);
  if (known) return { ref, content: known };
  const root = await rootImage();
  progress.step('Node.js image');
  const { architecture } = await engine.info({ signal });
  const node = await nodeBinary(home, architecture);
  const init = await readInit(context, root);
  const initDigest = createHash('sha256').update(init).digest('hex');
  const content: VolumeContent = { [below(CONTAINER.node)]: node.digest, [below(CONTAINER.init)]: initDigest };
  const stream = () => createReadStream(node.path);
  // The init is static, so the image can be started although it has nothing else.
  const command = JSON.stringify([CONTAINER.init, '--version']);
  await buildImage(context, {
    role: 'runtime',
    context: packEntries([
      { name: 'Dockerfile', content: `FROM scratch\nCOPY files/ ${CONTAINER.runtime}/\nCMD ${command}\n` },
      { name: `files/${below(CONTAINER.init)}`, mode: 0o755, content: init },
      { name: `files/${below(CONTAINER.node)}`, mode: 0o755, size: node.sizeBytes, stream },
    ]),
    dockerfile: 'the Dockerfile of the Node.js image',
    tags: [ref],
    labels: { [LABEL.key]: key, [CONTENT_LABEL]: JSON.stringify(content) },
    blame: 'infra',
  });
  progress.done(false);
  return { ref, content };
}

async function findContent(
  { engine, signal }: ImageContext,
  ref: string,
  key: string,
): Promise<VolumeContent | undefined> {
  const image = await engine.inspectImage(ref, { signal });
  const content = image?.labels[LABEL.key] === key ? image.labels[CONTENT_LABEL] : undefined;
  return content === undefined ? undefined : JSON.parse(content);
}

function below(path: string): string {
  return path.slice(CONTAINER.runtime.length + 1);
}

async function readInit({ engine, signal }: ImageContext, root: RootImage): Promise<Buffer> {
  const image = await engine.inspectImage(root.ref, { signal });
  if (!image) throw refusal(`${root.ref} is gone`);
  const id = await engine.createContainer(
    {
      image: image.id,
      cmd: ['/bin/true'],
      labels: { [LABEL.role]: 'runtime' },
      network: 'none',
      capabilities: [],
      noNewPrivileges: true,
    },
    { signal },
  );
  try {
    const init = await unpackFile(await engine.getArchive(id, INIT, { signal }), basename(INIT), {
      maxBytes: INIT_MAX_BYTES,
    });
    if (!init) throw refusal(`${root.ref} has no ${INIT}`);
    return init;
  } finally {
    await engine.remove(id, { force: true });
  }
}

function refusal(detail: string): FaultError {
  return new FaultError(fault('image_build_failed', `runtime: ${detail}`, { blame: 'infra' }));
}

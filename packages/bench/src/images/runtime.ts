import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { packEntries, type TarEntry, unpackFile } from '@ssebench/engine/tar';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import { nodeBinary, pinnedNodeVersion } from './node-binary.ts';
import type { RootImage } from './root.ts';
import { type RuntimeBundle, runtimeBundle } from './runtime-bundle.ts';

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

/** Files of the runtime by their path below its directory, with their SHA-256. */
export type RuntimeContent = Readonly<Record<string, string>>;

/** Which runtime the sources make. Bundles them when they have changed; asks no engine. @throws FaultError when that fails */
export async function runtimeIdentity(context: ImageContext): Promise<RuntimeIdentity> {
  const bundle = await runtimeBundle(context);
  const { home, registry } = context;
  const files = Object.entries(bundle.digests).flat();
  const key = buildKey({ files, node: pinnedNodeVersion(home), init: INIT });
  const hash = short(key);
  return { key, hash, image: `${registry}/runtime:${hash}`, volume: `ssebench-runtime-${hash}`, bundle };
}

/** A label's name, so that the content of a volume can be compared without the files at hand. */
const CONTENT_LABEL = 'ssebench.content';

/**
 * The image that holds the runtime: image preparation mounts it, and the volume is filled from it.
 * @returns what it holds
 * @throws FaultError when Node.js for the engine's architecture is missing, or the build fails
 */
export async function ensureRuntimeImage(
  context: ImageContext,
  runtime: RuntimeIdentity,
  rootImage: () => Promise<RootImage>,
): Promise<RuntimeContent> {
  const { engine, home, progress, signal } = context;
  const known = await engine.inspectImage(runtime.image, { signal });
  const content = known?.labels[LABEL.key] === runtime.key ? known.labels[CONTENT_LABEL] : undefined;
  if (content) return JSON.parse(content);
  const root = await rootImage();
  progress.step('runtime image');
  const { architecture } = await engine.info({ signal });
  const node = await nodeBinary(home, architecture);
  const init = await readInit(context, root);
  const digests: RuntimeContent = {
    ...runtime.bundle.digests,
    [below(CONTAINER.node)]: node.digest,
    [below(CONTAINER.init)]: createHash('sha256').update(init).digest('hex'),
  };
  const entries: TarEntry[] = [
    { name: 'Dockerfile', content: dockerfile() },
    { name: `files/${below(CONTAINER.init)}`, mode: 0o755, content: init },
    {
      name: `files/${below(CONTAINER.node)}`,
      mode: 0o755,
      size: node.sizeBytes,
      stream: () => createReadStream(node.path),
    },
    ...Object.keys(runtime.bundle.digests).map((name) => {
      return { name: `files/${name}`, content: readFileSync(join(runtime.bundle.dir, name)) };
    }),
  ];
  await buildImage(context, {
    role: 'runtime',
    context: packEntries(entries),
    dockerfile: 'the Dockerfile of the runtime image',
    tags: [runtime.image],
    labels: { [LABEL.key]: runtime.key, [CONTENT_LABEL]: JSON.stringify(digests) },
    blame: 'infra',
  });
  progress.done(false);
  return digests;
}

/** The init is static, so the image can be started although it has nothing else. */
function dockerfile(): string {
  return [
    'FROM scratch',
    `COPY files/ ${CONTAINER.runtime}/`,
    `CMD ${JSON.stringify([CONTAINER.init, '--version'])}`,
    '',
  ].join('\n');
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

import { join } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import { isEngineError } from '@ssebench/engine/errors';
import { packDirectory } from '@ssebench/engine/tar';
import { OWN_REGISTRY } from '../config/settings.ts';
import { digestOfFiles, hashFiles } from '../config/task-files.ts';
import { bootstrapDebian, bootstrapKey } from './bootstrap.ts';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import { type ImageContext, isOwnRegistry } from './context.ts';
import { type ExtraCa, extraCaLabel } from './extra-ca.ts';
import { proxyArgs } from './proxy.ts';

const DEBIAN = 'debian:trixie-slim';
/** A registry that can't be reached often just doesn't answer. */
const PULL_LIMIT_MS = 60_000;
/** Which image the root image was made from, for people. */
const FROM_LABEL = 'ssebench.debian';

export interface RootImage {
  ref: string;
  key: string;
}

/** Name and key of the root image that the recipe and the certificates ask for. Reads files only. */
export function rootImage({ home, registry }: Pick<ImageContext, 'home' | 'registry'>, ca: ExtraCa): RootImage {
  const recipe = digestOfFiles(hashFiles(recipeOf(home)));
  const key = buildKey({ recipe, ca: ca.fingerprints });
  return { ref: `${registry}/root:${short(key)}`, key };
}

/** True when the engine has it. */
export async function hasRoot({ engine, signal }: ImageContext, { ref, key }: RootImage): Promise<boolean> {
  return (await engine.inspectImage(ref, { signal }))?.labels[LABEL.key] === key;
}

/**
 * The image that all bases stand on: Debian with git, an init and the certificate store. Debian comes from the engine or a
 * registry, and from a mirror when neither has it or a mirror is named.
 * @throws FaultError when Debian can't be had or a step fails
 */
export async function ensureRoot(context: ImageContext, root: RootImage, ca: ExtraCa): Promise<void> {
  const { progress } = context;
  progress.step('root image');
  if ((await hasRoot(context, root)) || (await sameRoot(context, root))) return progress.done(true);
  if (ca.notice) progress.notice(ca.notice);
  const debian = await ensureDebian(context);
  const recipe = recipeOf(context.home);
  const certificates = ca.certificates.map((content, index) => {
    return { name: `extra-ca/${String(index + 1).padStart(2, '0')}.crt`, content };
  });
  await buildImage(context, {
    role: 'root',
    context: packDirectory(recipe, { extra: certificates }),
    dockerfile: join(recipe, 'Dockerfile'),
    tags: [root.ref],
    labels: { [LABEL.key]: root.key, [LABEL.extraCa]: extraCaLabel(ca), [FROM_LABEL]: debian },
    buildArgs: { SSEBENCH_DEBIAN: debian, ...proxyArgs() },
    blame: 'infra',
  });
  progress.done(false);
}

/** For a prefix of others, one that was made under our own is the same: it is named so, too. */
async function sameRoot({ engine, registry, signal }: ImageContext, { ref, key }: RootImage): Promise<boolean> {
  if (isOwnRegistry(registry)) return false;
  const image = await engine.inspectImage(`${OWN_REGISTRY}${ref.slice(registry.length)}`, { signal });
  if (image?.labels[LABEL.key] !== key) return false;
  await engine.tag(image.id, ref, { signal });
  return true;
}

async function ensureDebian(context: ImageContext): Promise<string> {
  const { engine, registry, progress, signal, debianMirror: mirror } = context;
  const own = `${registry}/debian:trixie`;
  const made = await engine.inspectImage(own, { signal });
  if (made?.labels[LABEL.key] === bootstrapKey(mirror)) return own;
  if (mirror) {
    await bootstrapDebian(context, own, 'SSEBENCH_DEBIAN_MIRROR is set', mirror);
    return own;
  }
  if (await engine.inspectImage(DEBIAN, { signal })) return DEBIAN;
  try {
    progress.line(`pulling ${DEBIAN}`);
    await engine.pull(DEBIAN, { signal, timeoutMs: PULL_LIMIT_MS });
    return DEBIAN;
  } catch (error) {
    if (!isEngineError(error, 'not_found', 'refused', 'timeout')) throw error;
    progress.notice(`${error.message}; making Debian from a mirror instead`);
    await bootstrapDebian(context, own, `${DEBIAN} can't be pulled (${error.detail})`);
    return own;
  }
}

function recipeOf(home: string): string {
  return join(home, 'images/base/root');
}

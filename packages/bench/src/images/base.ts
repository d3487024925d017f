import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { registryAuth } from '@ssebench/engine/docker/registry-auth';
import { isEngineError } from '@ssebench/engine/errors';
import { packDirectory } from '@ssebench/engine/tar';
import { digestOfFiles, hashFiles } from '../config/task-files.ts';
import { buildImage } from './build.ts';
import { buildKey } from './build-key.ts';
import { type ImageContext, isOwnRegistry } from './context.ts';
import { type ExtraCa, extraCaLabel } from './extra-ca.ts';

import { proxyArgs } from './proxy.ts';
import { ensureRoot, type RootImage } from './root.ts';

/** One of `images/base/*`, such as `generic-c`. */
export interface BaseRecipe {
  name: string;
  dir: string;
}

/** The bases that home has recipes for; `root` is no base, they stand on it. */
export function baseRecipes(home: string): BaseRecipe[] {
  const dir = join(home, 'images/base');
  return readdirSync(dir)
    .filter((name) => name !== 'root' && existsSync(join(dir, name, 'Dockerfile')))
    .sort()
    .map((name) => ({ name, dir: join(dir, name) }));
}

/** The tag and the recipe of a reference to one of our bases; undefined for every other image. @throws FaultError for a base that has no recipe */
export function ownBase(
  { home, registry }: Pick<ImageContext, 'home' | 'registry'>,
  ref: string,
): { recipe: BaseRecipe; tag: string } | undefined {
  const prefix = `${registry}/base-`;
  if (!isOwnRegistry(registry) || !ref.startsWith(prefix)) return undefined;
  const [name = '', tag = 'latest'] = ref.slice(prefix.length).split(':');
  const recipes = baseRecipes(home);
  const recipe = recipes.find((it) => it.name === name);
  if (recipe) return { recipe, tag };
  const detail = `${ref}: there is no such base image; there are: ${recipes.map((it) => `base-${it.name}`).join(', ')}`;
  throw new FaultError(fault('image_build_failed', detail, { retryable: false }));
}

function baseKey({ dir }: BaseRecipe, root: RootImage): string {
  return buildKey({ recipe: digestOfFiles(hashFiles(dir)), root: root.key });
}

function baseRefs({ registry, version }: ImageContext, { name }: BaseRecipe, tags: readonly string[]): string[] {
  return [...new Set([...tags, version, 'latest'])].map((tag) => `${registry}/base-${name}:${tag}`);
}

/** True when the engine has it under this tag. */
export async function hasBase(
  context: ImageContext,
  recipe: BaseRecipe,
  tag: string,
  root: RootImage,
): Promise<boolean> {
  const image = await context.engine.inspectImage(`${context.registry}/base-${recipe.name}:${tag}`, {
    signal: context.signal,
  });
  return image?.labels[LABEL.key] === baseKey(recipe, root);
}

/**
 * A base image of ours under these tags, the product's version and `latest`; built with the root image beneath when the recipe
 * or the certificates have changed.
 * @throws FaultError when a step fails
 */
export async function ensureBase(
  context: ImageContext,
  recipe: BaseRecipe,
  tags: readonly string[],
  { root, ca }: { root: RootImage; ca: ExtraCa },
): Promise<void> {
  const { engine, progress, signal } = context;
  const key = baseKey(recipe, root);
  const refs = baseRefs(context, recipe, tags);
  const images = await Promise.all(refs.map((ref) => engine.inspectImage(ref, { signal })));
  const current = images.find((image) => image?.labels[LABEL.key] === key);
  if (!current) await ensureRoot(context, root, ca);
  progress.step(`base image ${recipe.name}`);
  if (current) {
    const missing = refs.filter((_, index) => images[index]?.id !== current.id);
    await Promise.all(missing.map((ref) => engine.tag(current.id, ref, { signal })));
    return progress.done(true);
  }
  const [first = '', ...others] = refs;
  await buildImage(context, {
    role: 'base',
    context: packDirectory(recipe.dir),
    dockerfile: join(recipe.dir, 'Dockerfile'),
    tags: [first, ...others],
    labels: { [LABEL.key]: key, [LABEL.extraCa]: extraCaLabel(ca) },
    buildArgs: { SSEBENCH_ROOT: root.ref, ...proxyArgs() },
    blame: 'infra',
  });
  progress.done(false);
}

/** A base image of another prefix: the engine has it, or it is pulled. @throws FaultError when neither */
export async function pullBase({ engine, progress, signal }: ImageContext, ref: string): Promise<void> {
  progress.step(`base image ${ref}`);
  if (await engine.inspectImage(ref, { signal })) return progress.done(true);
  try {
    const auth = await registryAuth(ref);
    const onProgress = ({ status, id }: { status: string; id?: string }) =>
      progress.line(id ? `${id}: ${status}` : status);
    await engine.pull(ref, { auth, signal, onProgress });
  } catch (error) {
    if (!isEngineError(error, 'not_found', 'refused', 'timeout')) throw error;
    const remedy = 'check SSEBENCH_REGISTRY, log in with "docker login", or unset it to build the base images here';
    const detail = `${ref} can't be pulled: ${error.detail}\n${remedy}`;
    throw new FaultError(fault('image_build_failed', detail, { blame: 'infra' }), { cause: error });
  }
  progress.done(false);
}

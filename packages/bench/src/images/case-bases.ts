import { ensureBase, hasBase, ownBase, pullBase } from './base.ts';
import { type ImageContext, isOwnRegistry } from './context.ts';
import type { PlannedImage } from './disk.ts';
import { extendBase, extendedRegistry } from './extended-base.ts';
import { readExtraCa } from './extra-ca.ts';
import { hasRoot, rootImage } from './root.ts';

/** Which of these bases, and of what they stand on, would have to be built. */
export async function planBases(context: ImageContext, refs: readonly string[]): Promise<PlannedImage[]> {
  const root = rootImage(context, readExtraCa(context.extraCa));
  const planned: PlannedImage[] = [];
  for (const ref of refs) {
    const own = ownBase(context, ref);
    if (own && !(await hasBase(context, own.recipe, own.tag, root))) planned.push(`base ${own.recipe.name}`);
  }
  if (planned.length === 0 || (await hasRoot(context, root))) return planned;
  return ['debian', 'root', ...planned];
}

/**
 * The images that a task's Dockerfile starts from: our bases are built, those of another prefix pulled and, where
 * further certificates are to be trusted, extended. What lies elsewhere is the engine's to find.
 * @returns what `SSEBENCH_REGISTRY` must be for the Dockerfile to find them
 * @throws FaultError when one can't be built or pulled
 */
export async function ensureCaseBases(context: ImageContext, refs: readonly string[]): Promise<string> {
  const { registry } = context;
  const ca = readExtraCa(context.extraCa);
  if (isOwnRegistry(registry)) {
    const root = rootImage(context, ca);
    for (const ref of refs) {
      const own = ownBase(context, ref);
      if (own) await ensureBase(context, own.recipe, [own.tag], { root, ca });
    }
    return registry;
  }
  const pulled = refs.filter((ref) => ref.startsWith(`${registry}/`));
  for (const ref of pulled) await pullBase(context, ref);
  if (ca.certificates.length === 0) return registry;
  for (const ref of pulled) await extendBase(context, ref, ca);
  return extendedRegistry(registry, ca);
}

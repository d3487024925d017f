import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../cli/errors.ts';
import { baseRecipes, ensureBase, ownBase } from './base.ts';
import { planBases } from './case-bases.ts';
import { type ImageContext, isOwnRegistry } from './context.ts';
import { diskNotice } from './disk.ts';
import { baseImages } from './dockerfile.ts';
import { readExtraCa } from './extra-ca.ts';
import { rootImage } from './root.ts';

/**
 * All base images, each under the product's version, `latest` and every
 * tag that a task of home asks for.
 * @returns their names without tags
 * @throws UserError under a registry that isn't ours
 * @throws FaultError when a step fails
 */
export async function buildBases(context: ImageContext): Promise<string[]> {
  const { home, registry, progress } = context;
  if (!isOwnRegistry(registry)) {
    const remedy = 'unset SSEBENCH_REGISTRY, or give it a prefix that starts with localhost/';
    throw new UserError(`base images of ${registry} are pulled, not built here; ${remedy}`);
  }
  const tags = pinnedTags(context);
  const recipes = baseRecipes(home);
  const refs = recipes.flatMap(({ name }) =>
    (tags.get(name) ?? ['latest']).map((tag) => `${registry}/base-${name}:${tag}`),
  );
  const notice = diskNotice([...new Set(await planBases(context, refs))]);
  if (notice) progress.notice(notice);

  const ca = readExtraCa(context.extraCa);
  const root = rootImage(context, ca);
  for (const recipe of recipes) await ensureBase(context, recipe, tags.get(recipe.name) ?? [], { root, ca });
  return recipes.map(({ name }) => `${registry}/base-${name}`);
}

/** The tags under which the Dockerfiles of home's tasks ask for each base. */
function pinnedTags(context: ImageContext): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  for (const dockerfile of taskDockerfiles(join(context.home, 'datasets'))) {
    const { all } = baseImages(readFileSync(dockerfile, 'utf8'), { SSEBENCH_REGISTRY: context.registry });
    for (const ref of all.filter((it) => it.startsWith(`${context.registry}/base-`))) {
      const own = ownBase(context, ref);
      if (own) tags.set(own.recipe.name, [...new Set([...(tags.get(own.recipe.name) ?? []), own.tag])]);
    }
  }
  return tags;
}

function taskDockerfiles(datasets: string): string[] {
  if (!existsSync(datasets)) return [];
  return readdirSync(datasets, { withFileTypes: true })
    .filter((dataset) => dataset.isDirectory())
    .flatMap(({ name }) => readdirSync(join(datasets, name)).map((task) => join(datasets, name, task, 'Dockerfile')))
    .filter((path) => existsSync(path));
}

import { join } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import { packDirectory } from '@ssebench/engine/tar';
import { digestOfFiles, hashFiles } from '../config/task-files.ts';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import { extraCaLabel, readExtraCa } from './extra-ca.ts';
import { proxyArgs } from './proxy.ts';
import { ensureRoot, rootImage } from './root.ts';
import { ensureNodeImage } from './runtime.ts';
import { removeStale } from './stale.ts';

/**
 * What `ssebench-program` means in an agent's Dockerfile: the root image with Node.js and npm. Found, or built with what
 * is beneath.
 * @returns a name of exactly this image
 * @throws FaultError when a step fails
 */
export async function ensureProgramBase(context: ImageContext): Promise<string> {
  const { engine, home, registry, progress, signal } = context;
  const ca = readExtraCa(context.extraCa);
  const root = rootImage(context, ca);
  const ensured = async () => {
    await ensureRoot(context, root, ca);
    return root;
  };
  const node = await ensureNodeImage(context, ensured);
  const recipe = join(home, 'images/program');
  const npmRegistry = npmRegistryOf(process.env);
  const key = buildKey({ recipe: digestOfFiles(hashFiles(recipe)), root: root.key, node: node.ref, npmRegistry });
  const repository = `${registry}/program-base`;
  const ref = `${repository}:k-${short(key)}`;
  if ((await engine.inspectImage(ref, { signal }))?.labels[LABEL.key] === key) return ref;
  await ensured();
  progress.step('base image of programs');
  await buildImage(context, {
    role: 'base',
    context: packDirectory(recipe),
    dockerfile: join(recipe, 'Dockerfile'),
    tags: [ref],
    labels: { [LABEL.key]: key, [LABEL.extraCa]: extraCaLabel(ca) },
    buildArgs: {
      SSEBENCH_ROOT: root.ref,
      SSEBENCH_NODE: node.ref,
      ...(npmRegistry && { SSEBENCH_NPM_REGISTRY: npmRegistry }),
      ...proxyArgs(),
    },
    blame: 'infra',
  });
  await removeStale(context, repository, ref, { [LABEL.role]: 'base' });
  progress.done(false);
  return ref;
}

/** As npm itself reads it. Empty: the usual one. */
function npmRegistryOf(env: NodeJS.ProcessEnv): string {
  return env['npm_config_registry'] || env['NPM_CONFIG_REGISTRY'] || '';
}

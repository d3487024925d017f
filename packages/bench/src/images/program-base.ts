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
import { ensureNodeImage, nodeImage } from './runtime.ts';
import { removeStale } from './stale.ts';

/** Its recipe, and where it is kept. */
interface ProgramBase {
  recipe: string;
  /** Names exactly this image. */
  ref: string;
  repository: string;
  key: string;
}

/** Which image `ssebench-program` is, there or not. Reads files only. */
export function programBase(context: Pick<ImageContext, 'home' | 'registry' | 'extraCa'>): ProgramBase {
  const { home, registry } = context;
  const recipe = join(home, 'images/program');
  const key = buildKey({
    recipe: digestOfFiles(hashFiles(recipe)),
    root: rootImage(context, readExtraCa(context.extraCa)).key,
    node: nodeImage(context).ref,
    npmRegistry: npmRegistryOf(process.env),
  });
  const repository = `${registry}/program-base`;
  return { recipe, repository, ref: `${repository}:k-${short(key)}`, key };
}

/**
 * What `ssebench-program` means in an agent's Dockerfile: the root image with Node.js and npm. Found, or built with what
 * is beneath.
 * @returns a name of exactly this image
 * @throws FaultError when a step fails
 */
export async function ensureProgramBase(context: ImageContext): Promise<string> {
  const { engine, progress, signal } = context;
  const { recipe, repository, ref, key } = programBase(context);
  if ((await engine.inspectImage(ref, { signal }))?.labels[LABEL.key] === key) return ref;
  const ca = readExtraCa(context.extraCa);
  const root = rootImage(context, ca);
  await ensureRoot(context, root, ca);
  const node = await ensureNodeImage(context, async () => root);
  const npmRegistry = npmRegistryOf(process.env);
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

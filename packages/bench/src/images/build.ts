import { type Blame, FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { PatternError } from '@ssebench/engine/dockerignore';
import { isEngineError } from '@ssebench/engine/errors';
import type { ByteSource } from '@ssebench/engine/port';
import type { ImageContext } from './context.ts';
import { removeSuperseded } from './stale.ts';

/** What an image of ours is, in its label. */
export type ImageRole = 'root' | 'base' | 'runtime' | 'case' | 'work' | 'tool' | 'program' | 'agent';

interface ImageBuild {
  role: ImageRole;
  context: ByteSource;
  /** What a person calls the Dockerfile, in errors. */
  dockerfile: string;
  /** What to change when the image turns out to be unusable; default: the Dockerfile. */
  subject?: string;
  /** The first names the build. */
  tags: readonly [string, ...string[]];
  /** `undefined`: what the parent image has, if anything. */
  labels: Readonly<Record<string, string | undefined>>;
  buildArgs?: Readonly<Record<string, string>>;
  /** Whose doing it is when a step of the Dockerfile fails. */
  blame: Blame;
}

/** What image preparation prints, with what the case image lacks, before it gives up. */
const UNUSABLE = /\bimage_unusable: (.*)$/;
/** What is printed where the program that prepares can't be started. */
const NO_NODE =
  /error while loading shared libraries: [^\s:]+|version `GLIBC\w*_[\d.]+' not found|env: .*\bnode\b.*: No such file/;

/**
 * Builds an image, its output told line by line.
 * @returns the image's id
 * @throws FaultError `image_build_failed` with the Dockerfile, the step and the end of its output | `image_unusable`
 * @throws EngineError for everything that is not the Dockerfile's doing
 */
export async function buildImage(
  { engine, progress, signal }: Pick<ImageContext, 'engine' | 'progress' | 'signal'>,
  { role, context, dockerfile, subject = dockerfile, tags, labels, buildArgs = {}, blame }: ImageBuild,
): Promise<string> {
  let unusable: string | undefined;
  let hasBegun = false;
  const onOutput = (line: string) => {
    hasBegun = true;
    if (role === 'work' || role === 'tool') unusable ??= unusableFor(line);
    progress.line(line);
  };
  const given = Object.entries(labels).filter((label): label is [string, string] => label[1] !== undefined);
  const allLabels = { ...Object.fromEntries(given), [LABEL.role]: role };
  const old = await engine.inspectImage(tags[0], { signal });
  let id: string;
  try {
    id = await engine.build({ context, tags, labels: allLabels, buildArgs, onOutput, signal });
  } catch (error) {
    if (error instanceof PatternError) {
      throw new FaultError(fault('image_build_failed', `${dockerfile}: ${error.message}`, { blame }), { cause: error });
    }
    // A step that does not end is the Dockerfile's doing, as one that fails. An engine that does not even begin is not.
    if (!isEngineError(error, 'build_failed') && !(hasBegun && isEngineError(error, 'timeout'))) throw error;
    if (unusable !== undefined) {
      throw new FaultError(fault('image_unusable', `${subject}: ${unusable}`), { cause: error });
    }
    const detail = `${dockerfile}: ${error.detail}`;
    throw new FaultError(fault('image_build_failed', detail, { blame }), { cause: error });
  }
  if (old?.id !== id) await removeSuperseded({ engine, signal }, old);
  return id;
}

function unusableFor(line: string): string | undefined {
  const [words] = NO_NODE.exec(line) ?? [];
  if (words === undefined) return UNUSABLE.exec(line)?.[1];
  return `the harness does not start in it (${words}). It needs glibc 2.28 or newer, libstdc++6 and libgcc-s1 (Debian 10, Ubuntu 20.04)`;
}

import { type Blame, FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
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
  const onOutput = (line: string) => {
    if (role === 'work' || role === 'tool') unusable ??= UNUSABLE.exec(line)?.[1];
    progress.line(line);
  };
  const given = Object.entries(labels).filter((label): label is [string, string] => label[1] !== undefined);
  const allLabels = { ...Object.fromEntries(given), [LABEL.role]: role };
  const old = await engine.inspectImage(tags[0], { signal });
  try {
    const id = await engine.build({ context, tags, labels: allLabels, buildArgs, onOutput, signal });
    if (old?.id !== id) await removeSuperseded({ engine, signal }, old);
    return id;
  } catch (error) {
    if (!isEngineError(error, 'build_failed')) throw error;
    if (unusable !== undefined) {
      throw new FaultError(fault('image_unusable', `${subject}: ${unusable}`), { cause: error });
    }
    const detail = `${dockerfile}: ${error.detail}`;
    throw new FaultError(fault('image_build_failed', detail, { blame }), { cause: error });
  }
}

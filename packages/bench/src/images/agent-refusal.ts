import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { showPath } from '../config/show-path.ts';
import { DockerfileError, type ReadDockerfile } from './agent-dockerfile.ts';
import type { ImageRole } from './build.ts';
import type { ImageContext } from './context.ts';

/** Something about an agent's folder that its author has to change. */
export function refusal(detail: string, cause?: unknown): FaultError {
  return new FaultError(fault('image_build_failed', detail, { blame: 'user', retryable: false }), { cause });
}

/** What `read` makes of the Dockerfile at this path. @throws FaultError with the place, for what `read` refuses */
export function readingDockerfile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DockerfileError) throw refusal(`${showPath(path)}:${error.line}: ${error.message}`, error);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw refusal(`${showPath(path)}: no such file`, error);
    throw error;
  }
}

/** Images whose layers hold answers. */
const WITH_ANSWERS: readonly (ImageRole | undefined)[] = ['case', 'tool'];

/** A Dockerfile is built where the images of all tasks are. @throws FaultError for one that would take answers from them */
export async function refuseAnswers(
  { engine, signal }: ImageContext,
  images: ReadDockerfile['images'],
  path: string,
): Promise<void> {
  for (const { name, line } of images) {
    const image = await engine.inspectImage(name, { signal });
    if (!WITH_ANSWERS.some((role) => role === image?.labels[LABEL.role])) continue;
    throw refusal(`${showPath(path)}:${line}: ${name} holds a task's answers: no agent may be built from it`);
  }
}

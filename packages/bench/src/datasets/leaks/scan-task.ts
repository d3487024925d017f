import { basename } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { Leak, LeakReport, type Passage } from '@ssebench/contracts/leaks';
import type { TaskConfig } from '@ssebench/contracts/task-config';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { unpackFile } from '@ssebench/engine/tar';
import { z } from 'zod';
import { Layer } from './layers.ts';
import { passagesOf } from './passages.ts';
import { scanImage } from './scan-image.ts';

/** Of one answer. Bytes. */
const MAX_ANSWER = 64 * 1024 * 1024;

/** The images of a task that an agent's container is made of: their IDs. */
const TaskImages = z.object({ case: z.string(), work: z.string() });
export type TaskImages = z.infer<typeof TaskImages>;

const ImageName = TaskImages.keyof();
const Scanned = LeakReport.shape.scanned.extend({ seconds: z.number() });

/** A leak with the image, and the layer where that is known. */
const PlacedLeak = Leak.extend({ image: ImageName, layer: Layer.nullable() });
type PlacedLeak = z.infer<typeof PlacedLeak>;

/** What was found in a task's images. */
export const TaskLeaks = z.object({
  images: TaskImages,
  leaks: z.array(PlacedLeak),
  /** Of how many passages the answers are. None: they are too short to be told from chance, and nothing was searched for. */
  passages: z.int().nonnegative(),
  scanned: z.object({ work: Scanned, case: Scanned }),
  unread: z.array(LeakReport.shape.unread.element.extend({ image: ImageName })),
});
export type TaskLeaks = z.infer<typeof TaskLeaks>;

/**
 * Searches all that a work container can see, and the case image outside of `/ssebench`, for the lines that the reference patch and
 * the hidden tests add.
 * @throws EngineError `not_found` when an image is gone
 */
export async function scanTask(
  context: { engine: ContainerEngine; runtimeVolume: string; signal: AbortSignal },
  { files }: Pick<TaskConfig, 'files'>,
  images: TaskImages,
): Promise<TaskLeaks> {
  const tests = [files.future_test, files.security_test, files.intent_test];
  const answers = await readAnswers(context, images.case, [files.patch, ...tests]);
  const passages: Passage[] = [
    ...passagesOf('patch', answers.get(files.patch ?? '') ?? ''),
    ...tests.flatMap((test) => passagesOf('tests', answers.get(test ?? '') ?? '')),
  ];
  const work = await scanImage({ ...context, image: images.work, passages, without: [] });
  const whole = await scanImage({ ...context, image: images.case, passages, without: [CONTAINER.task] });
  const both = { work, case: whole };
  const names = ['work', 'case'] as const;
  return {
    images,
    passages: passages.length,
    leaks: names.flatMap((image) =>
      both[image].leaks.map((leak) => ({ ...leak, image, layer: both[image].layers.get(leak.path) ?? null })),
    ),
    scanned: {
      work: { ...work.scanned, seconds: work.seconds },
      case: { ...whole.scanned, seconds: whole.seconds },
    },
    unread: names.flatMap((image) => both[image].unread.map((file) => ({ ...file, image }))),
  };
}

/** One sentence about a leak, for people. */
export function leakSentence({ image, origin, file, path, inside, layer, found, of }: PlacedLeak): string {
  const what = origin === 'patch' ? `the fix of ${file}` : `the hidden tests in ${file}`;
  const where = inside === null ? path : `${path} (${inside})`;
  const step = layer?.step === undefined ? '' : `: ${layer.step}`;
  const made = layer ? `, layer ${layer.number} of ${layer.of}${step}` : '';
  return `the ${image} image holds ${what}: ${where}, ${found} of ${of} passages${made}`;
}

/** Why a task's images were not searched, for people. An image that is gone comes with new runs alone. */
export function unsearchedSentence(id: string, error: Error): string {
  const remedy = isEngineError(error, 'not_found') ? '; --anew makes its images and runs again' : '';
  return `${id}: its images could not be searched for answers: ${error.message}${remedy}`;
}

/** Files below `/ssebench` of an image, by the names that the config gives them; the images are what is proven, not the folder. */
async function readAnswers(
  { engine, signal }: { engine: ContainerEngine; signal: AbortSignal },
  image: string,
  names: readonly (string | null)[],
): Promise<Map<string, string>> {
  const id = await engine.createContainer(
    {
      image,
      entrypoint: ['/bin/true'],
      labels: { [LABEL.role]: 'leak-scan' },
      network: 'none',
      capabilities: [],
      noNewPrivileges: true,
    },
    { signal },
  );
  try {
    const answers = new Map<string, string>();
    for (const name of new Set(names)) {
      if (name === null) continue;
      const archive = await engine.getArchive(id, `${CONTAINER.task}/${name}`, { signal });
      const bytes = await unpackFile(archive, basename(name), { maxBytes: MAX_ANSWER });
      answers.set(name, bytes?.toString('latin1') ?? '');
    }
    return answers;
  } finally {
    await engine.remove(id, { force: true });
  }
}

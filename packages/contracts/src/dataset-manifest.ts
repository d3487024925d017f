import { z } from 'zod';
import { DatasetInfo } from './dataset-info.ts';
import { CHECK_NAMES } from './difficulty.ts';
import { TaskConfig, TaskId } from './task-config.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal digits');
const Commit = z.string().regex(/^[0-9a-f]{40}$/, 'must be a commit of 40 hexadecimal digits');

/** A task as a manifest has it. Image names have no registry, `image` has no tag either. */
const ManifestTask = z.strictObject({
  id: TaskId,
  language: TaskConfig.shape.language,
  project: TaskConfig.shape.project,
  repository: TaskConfig.shape.repository,
  /** What the last stage of its Dockerfile starts from, such as `base-generic-go:1.0.0`. */
  base: z.string().min(1, 'must not be empty'),
  /** `case/<dataset>/<id>` in lower case. */
  image: z.string().regex(/^[a-z0-9]+(?:[._/-]+[a-z0-9]+)*$/, 'must be an image name without registry and tag'),
  arch: z.array(z.enum(['amd64', 'arm64'])).min(1, 'must not be empty'),
  checks: z.array(z.enum(CHECK_NAMES)),
  /** SHA-256 of every file of the task folder, by its POSIX path. */
  files: z.record(z.string(), Sha256).optional(),
  metadata: TaskConfig,
});
export type ManifestTask = z.infer<typeof ManifestTask>;

/** `manifest.json`: a dataset as others find its tasks; a catalog is one. Source: spec/host §3.1. */
export const DatasetManifest = z
  .strictObject({
    dataset: TaskId,
    version: DatasetInfo.shape.version,
    generated_from: Commit.optional(),
    tasks: z.array(ManifestTask).refine((tasks) => new Set(tasks.map(({ id }) => id)).size === tasks.length, {
      message: 'holds two tasks with one id',
    }),
  })
  .meta({ title: 'SSEBench dataset manifest' });
export type DatasetManifest = z.infer<typeof DatasetManifest>;

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits');

/** What runs need beside the case image, by digest, so that nothing has to be built. */
export const PrebuiltImages = z.strictObject({
  /** Version of SSEBench that made them. */
  ssebench: z.string().min(1, 'must not be empty'),
  runtime: Digest,
  work: Digest,
  tool: Digest,
  /** By the folder's name; `program`: the image of its program, where it has one. */
  agents: z.record(z.string(), z.strictObject({ image: Digest, program: Digest.optional() })),
});
export type PrebuiltImages = z.infer<typeof PrebuiltImages>;

/** Where a task's case image was published. */
const LockedImage = z.strictObject({
  digest: Digest,
  /** Of the task's files that it was built from. */
  files_sha256: Sha256,
  revision: Commit,
});
export type LockedImage = z.infer<typeof LockedImage>;

/** `images.lock.json`: the published images of a dataset's version, by digest. Source: spec/host §3.2. */
export const ImagesLock = z
  .strictObject({
    dataset: TaskId,
    version: DatasetInfo.shape.version,
    images: z.record(z.string(), LockedImage),
    /** For `run --prebuilt`; ours, beside the public format's keys. */
    prebuilt: z.record(z.string(), PrebuiltImages).optional(),
  })
  .meta({ title: 'SSEBench dataset images lock' });
export type ImagesLock = z.infer<typeof ImagesLock>;

/** `<output>/published/<task>.json`: what `dataset publish` pushed. Source: spec/host §5.5; `prebuilt` and `registry` are ours. */
export const PublicationRecord = z.strictObject({
  task: TaskId,
  dataset: TaskId,
  version: DatasetInfo.shape.version,
  image: ManifestTask.shape.image,
  tags: z.tuple([z.string(), z.string()]),
  digest: Digest,
  files_sha256: Sha256,
  revision: Commit,
  prebuilt: PrebuiltImages.optional(),
  /** Beside `prebuilt`: the prefix under which these images were pushed. */
  registry: z.string().optional(),
});
export type PublicationRecord = z.infer<typeof PublicationRecord>;

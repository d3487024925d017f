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

/** Where a task's case image was published. */
const LockedImage = z.strictObject({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits'),
  /** Of the task's files that it was built from. */
  files_sha256: Sha256,
  revision: Commit,
});

/** `images.lock.json`: the published images of a dataset's version, by digest. Source: spec/host §3.2. */
export const ImagesLock = z
  .strictObject({
    dataset: TaskId,
    version: DatasetInfo.shape.version,
    images: z.record(z.string(), LockedImage),
  })
  .meta({ title: 'SSEBench dataset images lock' });
export type ImagesLock = z.infer<typeof ImagesLock>;

import { join } from 'node:path';
import type { BuildRequest, ImageInfo } from '@ssebench/engine/image';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { loadTask } from '../config/tasks.ts';
import { recordTests } from '../datasets/verify/record-tests.ts';
import { buildCase, builtCase } from './case.ts';
import type { ImageContext } from './context.ts';
import { SILENT } from './progress.ts';

test('a case image stays the one of its task when the tests are recorded, and no longer when a file of it changes', async () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  let image: ImageInfo | undefined;
  const engine = {
    inspectImage: () => Promise.resolve(image),
    build: ({ labels }: BuildRequest) => {
      image = { id: 'sha256:1', labels } as unknown as ImageInfo;
      return Promise.resolve('sha256:1');
    },
  };
  const context = { engine, registry: 'localhost/x', progress: SILENT, signal: undefined } as unknown as ImageContext;
  const task = () => loadTask(join(home.dir, 'data/set'), 'leak-1');
  const isItsOwn = async () => (await builtCase(context, task())) !== undefined;
  await buildCase(context, task(), 'localhost/x');
  await recordTests(task().dir, { function_test: ['a'], intent_test: null });
  expect(await isItsOwn()).toBe(true);
  home.write('data/set/leak-1/sse/controls/mask.diff', 'x');
  expect(await isItsOwn()).toBe(true);
  home.write('data/set/leak-1/sse/test.sh', '#!/bin/sh\nexit 1\n');
  expect(await isItsOwn()).toBe(false);

  // What a catalog without files says is the digest of all.
  const listed = { ...task(), files: {}, filesDigest: 'a'.repeat(64) };
  await buildCase(context, listed, 'localhost/x');
  expect(await builtCase(context, listed)).toBeDefined();
  expect(await builtCase(context, { ...listed, filesDigest: 'b'.repeat(64) })).toBeUndefined();
});

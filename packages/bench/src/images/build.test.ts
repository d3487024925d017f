import { Readable } from 'node:stream';
import type { FaultError } from '@ssebench/contracts/faults';
import { EngineError, type EngineErrorCode } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { expect, test } from 'vitest';
import { buildImage } from './build.ts';

/** Ends every build so: a limit of two hours can't be waited for. */
function engineThat(code: EngineErrorCode, detail: string): ContainerEngine {
  const build = () => Promise.reject(new EngineError(code, { operation: 'build an image', detail }));
  return { inspectImage: () => Promise.resolve(undefined), build } as Partial<ContainerEngine> as ContainerEngine;
}

function built(engine: ContainerEngine) {
  const progress = { line: () => undefined, step: () => undefined };
  const context = { engine, progress, signal: undefined } as unknown as Parameters<typeof buildImage>[0];
  return buildImage(context, {
    role: 'case',
    context: Readable.from([]),
    dockerfile: 'datasets/d/hang-1/Dockerfile',
    tags: ['ssebench/case:1'],
    labels: {},
    blame: 'task',
  });
}

test.each<[EngineErrorCode, string]>([
  ['build_failed', 'step 2: exit code 1'],
  ['timeout', 'not done within 7200 s'],
])('a Dockerfile whose build ends with %s is its author’s to mend', async (code, detail) => {
  const error = (await built(engineThat(code, detail)).catch((reason: unknown) => reason)) as FaultError;
  expect(error.fault).toMatchObject({ code: 'image_build_failed', blame: 'task' });
  expect(error.message).toContain(`datasets/d/hang-1/Dockerfile: ${detail}`);
});

test('an engine that is gone is no fault of the Dockerfile', async () => {
  await expect(built(engineThat('unreachable', 'connection refused'))).rejects.toBeInstanceOf(EngineError);
});

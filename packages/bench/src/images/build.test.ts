import { Readable } from 'node:stream';
import type { FaultError } from '@ssebench/contracts/faults';
import { PatternError } from '@ssebench/engine/dockerignore';
import { EngineError, type EngineErrorCode } from '@ssebench/engine/errors';
import type { BuildRequest } from '@ssebench/engine/image';
import type { ContainerEngine } from '@ssebench/engine/port';
import { expect, test } from 'vitest';
import { buildImage } from './build.ts';
import { SILENT } from './progress.ts';

/** Ends every build so, after it printed something or nothing: a limit of two hours can't be waited for. */
function engineThat(code: EngineErrorCode, detail: string, output: readonly string[]): ContainerEngine {
  const build = ({ onOutput }: BuildRequest) => {
    for (const line of output) onOutput?.(line);
    return Promise.reject(new EngineError(code, { operation: 'build an image', detail }));
  };
  return { inspectImage: () => Promise.resolve(undefined), build } as Partial<ContainerEngine> as ContainerEngine;
}

function built(engine: ContainerEngine) {
  return buildImage(
    { engine, progress: SILENT, signal: new AbortController().signal },
    {
      role: 'case',
      context: Readable.from([]),
      dockerfile: 'datasets/d/hang-1/Dockerfile',
      tags: ['ssebench/case:1'],
      labels: {},
      blame: 'task',
    },
  );
}

test.each<[EngineErrorCode, string]>([
  ['build_failed', 'step 2: exit code 1'],
  ['timeout', 'not done within 7200 s'],
])('a Dockerfile whose build ends with %s is its author’s to mend', async (code, detail) => {
  const error = (await built(engineThat(code, detail, ['Step 1/2'])).catch((reason: unknown) => reason)) as FaultError;
  expect(error.fault).toMatchObject({ code: 'image_build_failed', blame: 'task' });
  expect(error.message).toContain(`datasets/d/hang-1/Dockerfile: ${detail}`);
});

test.each<[string, EngineErrorCode, string, string[]]>([
  ['is gone', 'unreachable', 'connection refused', ['Step 1/2']],
  ['does not begin to answer', 'timeout', 'nothing for 60 s', []],
])('an engine that %s is no fault of the Dockerfile', async (_, code, detail, output) => {
  await expect(built(engineThat(code, detail, output))).rejects.toBeInstanceOf(EngineError);
});

test('a folder whose .dockerignore can not be read is its author’s to mend', async () => {
  const build = () => Promise.reject(new PatternError([2]));
  const engine = { inspectImage: () => Promise.resolve(undefined), build } as unknown as ContainerEngine;
  const error = (await built(engine).catch((reason: unknown) => reason)) as FaultError;
  expect(error.fault).toMatchObject({ code: 'image_build_failed', blame: 'task' });
  expect(error.message).toContain('datasets/d/hang-1/Dockerfile: .dockerignore: no pattern in line 2');
});

test('an image that was built is no failed build when the engine is slow to say what became of the one before', async () => {
  const looks = [
    () => Promise.resolve({ id: 'old' }),
    () => Promise.reject(new EngineError('timeout', { operation: 'inspect old', detail: 'not done within 60 s' })),
  ];
  const engine = { inspectImage: () => looks.shift()?.(), build: () => Promise.resolve('new') };
  await expect(built(engine as unknown as ContainerEngine)).rejects.toBeInstanceOf(EngineError);
});

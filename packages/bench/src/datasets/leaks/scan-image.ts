import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { LeakReport, type Passage } from '@ssebench/contracts/leaks';
import type { ContainerEngine } from '@ssebench/engine/port';
import { packEntries } from '@ssebench/engine/tar';
import { type Layer, layersOf } from './layers.ts';

const QUERY = '/ssebench-leak-query.json';
/** A big image on a slow disk. Milliseconds. */
const LIMIT = 30 * 60 * 1000;

export interface ScanRequest {
  engine: ContainerEngine;
  /** ID of the image. */
  image: string;
  /** Volume that holds the runtime. */
  runtimeVolume: string;
  passages: readonly Passage[];
  /** Places that may hold answers: absolute paths. */
  without: readonly string[];
  signal: AbortSignal;
}

/** What was found in an image, and in which of its layers. */
export interface ImageLeaks extends LeakReport {
  layers: ReadonlyMap<string, Layer>;
  seconds: number;
}

/**
 * Searches an image for passages of a task's answers, in a container without a network that is removed afterwards.
 * @throws EngineError, and Error when the search itself fails
 */
export async function scanImage({ engine, signal, ...request }: ScanRequest): Promise<ImageLeaks> {
  const began = performance.now();
  const query = { passages: request.passages, without: [...NOT_THE_IMAGES, ...request.without] };
  const id = await engine.createContainer(
    {
      image: request.image,
      entrypoint: [CONTAINER.node],
      cmd: [CONTAINER.runtimeBundle, 'leaks', QUERY],
      user: '0:0',
      workdir: '/',
      mounts: [{ type: 'volume', name: request.runtimeVolume, target: CONTAINER.runtime, readOnly: true }],
      labels: { [LABEL.role]: 'leak-scan' },
      network: 'none',
      capabilities: ['DAC_OVERRIDE'],
      noNewPrivileges: true,
    },
    { signal },
  );
  try {
    await engine.putArchive(id, '/', packEntries([{ name: QUERY.slice(1), content: JSON.stringify(query) }]), {
      signal,
    });
    await engine.start(id, { signal });
    const { exitCode } = await engine.ended(id, { signal, timeoutMs: LIMIT });
    const output = { stdout: '', stderr: '' };
    for await (const { stream, data } of engine.logs(id, { signal })) output[stream] += data.toString('utf8');
    if (exitCode !== 0) throw new Error(`the search ended with ${exitCode}: ${output.stderr.slice(-2000)}`);
    const report = LeakReport.parse(JSON.parse(output.stdout));
    const paths = report.leaks.map(({ path }) => path);
    const layers = paths.length > 0 ? await layersOf({ engine, signal }, request.image, paths) : new Map();
    return { ...report, layers, seconds: Math.round((performance.now() - began) / 100) / 10 };
  } finally {
    await engine.remove(id, { force: true });
  }
}

/** What a container has beside its image. */
const NOT_THE_IMAGES = ['/proc', '/sys', '/dev', CONTAINER.runtime];

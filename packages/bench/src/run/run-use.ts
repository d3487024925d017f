import { CAPS, type DiskUse } from '@ssebench/contracts/caps';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { ContainerInfo } from '@ssebench/engine/container';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { z } from 'zod';
import { directoryUse } from './directory-use.ts';
import { NO_USE, type RunUse } from './disk-rules.ts';

/** One measurement; milliseconds. */
const LIMIT = 60_000;
/** The engine's clock and the kernel's may differ by a tick of the latter. Milliseconds. */
const TICK = 20;

export interface Measured {
  engine: ContainerEngine;
  id: string;
  /** The agent's archive on the host, where the container has one. */
  archive: string | null;
  /** What the engine may say without being asked twice. Bytes. */
  limit: number;
}

/**
 * What a run takes of its disks now. The engine's figure for a layer counts holes as bytes, leaves volumes out and is
 * missing where somebody made a path that is too long for it: when it says too much or nothing, a program of ours in the
 * container measures the layer.
 */
export async function measureRun({ engine, id, archive, limit }: Measured, signal: AbortSignal): Promise<RunUse> {
  const [container, archiveUse] = await Promise.all([
    inspect(engine, id, signal),
    archive === null ? NO_USE : directoryUse(archive, { maxFiles: CAPS.archive_files }),
  ]);
  const unknownUse = { layer: undefined, evidentLayer: NO_USE, archive: archiveUse };
  if (container?.state !== 'running') return unknownUse;
  const told = container.sizeRwBytes;
  // Docker says -1 when it can't add a layer up.
  const outside: DiskUse | undefined = told === undefined || told < 0 ? undefined : { bytes: told, files: 0 };
  const volumes = container.mounts.filter(({ type, target }) => type === 'volume' && target !== CONTAINER.runtime);
  const isPlain = outside !== undefined && volumes.length === 0 && outside.bytes + archiveUse.bytes <= limit;
  const inside = isPlain ? undefined : await measureInside(engine, container, volumes, signal);
  // One that ended meanwhile can't be asked any more, and what the engine says alone may be nothing but a hole.
  if (!isPlain && !inside && (await inspect(engine, id, signal))?.state !== 'running') return unknownUse;
  return {
    layer: inside ?? outside,
    evidentLayer: {
      bytes: outside === undefined ? Number.POSITIVE_INFINITY : Math.max(outside.bytes, inside?.bytes ?? 0),
      files: inside?.files ?? (outside === undefined ? Number.POSITIVE_INFINITY : 0),
    },
    archive: archiveUse,
  };
}

/** The same with the count of files, which engines don't tell. */
export function measureFully(run: Measured, signal: AbortSignal): Promise<RunUse> {
  return measureRun({ ...run, limit: -1 }, signal);
}

async function inspect(engine: ContainerEngine, id: string, signal: AbortSignal): Promise<ContainerInfo | undefined> {
  try {
    return await engine.inspectContainer(id, { size: true, signal, timeoutMs: LIMIT });
  } catch (error) {
    // A layer of millions of files takes longer than we can wait: then it is one that can't be measured.
    if (isEngineError(error, 'timeout')) return engine.inspectContainer(id, { signal }).catch(unknown);
    return unknown(error);
  }
}

/** An engine that does not answer, or has no such container, is told of by others. */
function unknown(error: unknown): undefined {
  if (!isEngineError(error)) throw error;
}

const Answer = z.strictObject({ bytes: z.number().nonnegative(), files: z.number().nonnegative() });

/** Undefined when the program can't run or answers nothing of ours: then the engine's figure stands. */
async function measureInside(
  engine: ContainerEngine,
  { id, createdAt }: ContainerInfo,
  volumes: ContainerInfo['mounts'],
  signal: AbortSignal,
): Promise<DiskUse | undefined> {
  const since = String(createdAt.getTime() - TICK);
  const targets = volumes.map(({ target }) => target);
  try {
    const { exitCode, stdout } = await engine.exec(id, {
      argv: [CONTAINER.node, CONTAINER.runtimeBundle, 'usage', since, ...targets],
      user: '0:0',
      workdir: '/',
      maxOutputBytes: 4096,
      timeoutMs: LIMIT,
      signal,
    });
    return exitCode === 0 ? Answer.safeParse(JSON.parse(stdout.toString())).data : undefined;
  } catch (error) {
    if (isEngineError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

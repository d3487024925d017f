import { randomUUID } from 'node:crypto';
import { EngineError, isEngineError } from '../errors.ts';
import type { BuildRequest } from '../image.ts';
import type { EngineVersion } from '../port.ts';
import { BuildLogWriter } from './build-log.ts';
import { openBuildSession } from './build-session.ts';
import { decodeTrace } from './buildkit-trace.ts';
import { jsonLines } from './json-lines.ts';
import { ourLabels } from './labels.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';

interface WireBuildLine {
  id?: string;
  /** BuildKit: base64 of a trace, or the image. Podman's and Docker's old builder: the image. */
  aux?: string | { ID?: string };
  stream?: string;
  status?: string;
  error?: string;
  errorDetail?: { message?: string };
}

/** Lines of the old builder's output that the error repeats. */
const TAIL_LINES = 40;

/** Builds an image as `ContainerEngine.build` says. */
export async function build(transport: Transport, version: EngineVersion, request: BuildRequest): Promise<string> {
  const operation = `build ${request.tags[0] ?? 'image'}`;
  // Podman has one builder and no session; it takes the same request.
  const session =
    version.product === 'docker' ? await openBuildSession(transport, randomUUID(), request.signal) : undefined;
  try {
    return await follow(transport, request, { operation, session: session?.id });
  } catch (error) {
    // A Dockerfile that is absent is refused at once by some engines, by others in the middle.
    if (!isEngineError(error, 'refused', 'not_found')) throw error;
    throw new EngineError('build_failed', { operation, detail: error.detail, cause: error });
  } finally {
    session?.close();
  }
}

async function follow(
  transport: Transport,
  request: BuildRequest,
  { operation, session }: { operation: string; session: string | undefined },
): Promise<string> {
  const onOutput = request.onOutput ?? (() => undefined);
  const log = new BuildLogWriter(onOutput);
  const tail: string[] = [];
  let image: string | undefined;
  const call = {
    operation,
    method: 'POST',
    path: '/build',
    query: {
      ...(session !== undefined && { version: '2', session }),
      t: request.tags,
      dockerfile: request.dockerfile ?? 'Dockerfile',
      buildargs: JSON.stringify(request.buildArgs ?? {}),
      labels: JSON.stringify(ourLabels(request.labels)),
      platform: request.platform,
      target: request.target,
      nocache: request.noCache ? '1' : '0',
      rm: '1',
      forcerm: '1',
    },
    upload: request.context,
  } as const;
  // A step may be silent for as long as it likes: no idle limit.
  const limit = { totalMs: request.timeoutMs ?? LIMIT.build, idleMs: undefined };
  for await (const line of jsonLines<WireBuildLine>(await transport.stream(call, limit, request.signal))) {
    if (line.id === 'moby.buildkit.trace' && typeof line.aux === 'string') {
      log.add(decodeTrace(Buffer.from(line.aux, 'base64')));
    } else if (typeof line.aux === 'object' && line.aux.ID !== undefined) {
      image = line.aux.ID;
    } else if (line.error !== undefined) {
      const words = line.errorDetail?.message ?? line.error;
      throw new EngineError('build_failed', { operation, detail: log.failure ?? [...tail, words.trim()].join('\n') });
    } else {
      for (const text of (line.stream ?? line.status ?? '').split('\n').filter((it) => it.trim() !== '')) {
        tail.push(text);
        if (tail.length > TAIL_LINES) tail.shift();
        onOutput(text);
      }
    }
  }
  if (image === undefined) throw new EngineError('build_failed', { operation, detail: 'the engine named no image' });
  return image;
}

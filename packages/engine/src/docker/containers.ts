import type { ContainerInfo, ContainerState, ContainerSummary } from '../container.ts';
import { EngineError, isEngineError } from '../errors.ts';
import type { CallOptions, ContainerEngine, EngineVersion } from '../port.ts';
import { ended } from './container-end.ts';
import { containerBody } from './container-spec.ts';
import { demux } from './demux.ts';
import { isLabelled, OURS } from './labels.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';

interface WireContainer {
  Id: string;
  Name: string;
  Image: string;
  Created: string;
  SizeRw?: number;
  State: {
    Status: ContainerState;
    ExitCode: number;
    OOMKilled: boolean;
    Error: string;
    StartedAt: string;
    FinishedAt: string;
  };
  Config: { Labels: Record<string, string> | null };
  Mounts: { Type: string; Name?: string; Source: string; Destination: string; RW: boolean }[] | null;
}

interface WireContainerSummary {
  Id: string;
  Names: string[];
  ImageID: string;
  Labels: Record<string, string> | null;
  State: ContainerState;
  /** Seconds since 1970. */
  Created: number;
}

type ContainerCalls = Pick<
  ContainerEngine,
  'createContainer' | 'start' | 'ended' | 'logs' | 'stop' | 'kill' | 'remove' | 'inspectContainer' | 'listContainers'
>;

/** The life of containers. */
export function containerCalls(transport: Transport, { product }: EngineVersion): ContainerCalls {
  const inspectContainer: ContainerCalls['inspectContainer'] = async (id, options) => {
    const query = { size: options?.size ? '1' : '0' };
    const call = {
      operation: `inspect container ${short(id)}`,
      method: 'GET',
      path: `${path(id)}/json`,
      query,
    } as const;
    const container = await transport.find<WireContainer>(call, options);
    return container && readContainer(container);
  };

  const stopped = (id: string, options: CallOptions) =>
    transport.json(
      { operation: `wait for container ${short(id)}`, method: 'POST', path: `${path(id)}/wait` },
      options,
      LIMIT.stop,
    );

  return {
    inspectContainer,
    async createContainer(spec, options) {
      const call = {
        operation: `create container ${spec.name ?? `of ${short(spec.image)}`}`,
        method: 'POST',
        path: '/containers/create',
        query: { name: spec.name },
        body: containerBody(spec, product),
      } as const;
      return (await transport.json<{ Id: string }>(call, options, LIMIT.change)).Id;
    },
    async start(id, options) {
      const call = { operation: `start container ${short(id)}`, method: 'POST', path: `${path(id)}/start` } as const;
      await transport.json(call, options, LIMIT.change);
    },
    ended: (id, options) =>
      ended({
        operation: `wait for container ${short(id)}`,
        options,
        inspect: (signal) => inspectContainer(id, { signal }),
        nextExit: (signal) =>
          transport.stream(
            {
              operation: `wait for container ${short(id)}`,
              method: 'POST',
              path: `${path(id)}/wait`,
              query: { condition: 'next-exit' },
            },
            {},
            signal,
          ),
      }),
    async *logs(id, options = {}) {
      const call = {
        operation: `read the log of container ${short(id)}`,
        method: 'GET',
        path: `${path(id)}/logs`,
        query: {
          stdout: '1',
          stderr: '1',
          follow: options.follow ? '1' : '0',
          tail: options.tail ?? 'all',
          since: options.since === undefined ? '0' : (options.since.getTime() / 1000).toFixed(3),
        },
      } as const;
      const limit = { totalMs: options.timeoutMs, idleMs: options.follow ? undefined : LIMIT.query };
      yield* demux(await transport.stream(call, limit, options.signal));
    },
    async stop(id, graceSeconds, options) {
      const query = { t: graceSeconds };
      const call = {
        operation: `stop container ${short(id)}`,
        method: 'POST',
        path: `${path(id)}/stop`,
        query,
      } as const;
      await transport.json(call, options, LIMIT.stop + graceSeconds * 1000);
    },
    async kill(id, signal = 'SIGKILL', options) {
      const query = { signal };
      const call = {
        operation: `kill container ${short(id)}`,
        method: 'POST',
        path: `${path(id)}/kill`,
        query,
      } as const;
      await transport.json(call, options, LIMIT.change);
    },
    async remove(id, options) {
      const query = { force: options?.force ? '1' : '0', v: options?.volumes ? '1' : '0' };
      const call = { operation: `remove container ${short(id)}`, method: 'DELETE', path: path(id), query } as const;
      try {
        await transport.json(call, options, LIMIT.change);
      } catch (error) {
        if (!options?.force || !isEngineError(error, 'conflict')) throw error;
        // It was ending by itself, or somebody else is removing it: what was asked for comes about once it has ended.
        await stopped(id, options);
        await transport.find(call, options);
      }
    },
    async listContainers(labels, options) {
      const query = { all: '1', filters: JSON.stringify({ label: OURS }) };
      const call = { operation: 'list containers', method: 'GET', path: '/containers/json', query } as const;
      const containers = await transport.json<WireContainerSummary[]>(call, options);
      return containers.map(readSummary).filter((container) => isLabelled(container.labels, labels));
    },
  };
}

/** The request path of a container. @throws EngineError `not_found` for what can't be an id or a name */
export function path(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id)) return `/containers/${id}`;
  throw new EngineError('not_found', { operation: 'find container', detail: `"${id}" is not the id of a container` });
}

/** An id as people see it in lists. */
export function short(id: string): string {
  return id.replace(/^sha256:/, '').replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1');
}

function readSummary(container: WireContainerSummary): ContainerSummary {
  return {
    id: container.Id,
    name: (container.Names[0] ?? '').replace(/^\//, ''),
    imageId: container.ImageID,
    labels: container.Labels ?? {},
    state: container.State,
    createdAt: new Date(container.Created * 1000),
  };
}

function readContainer(container: WireContainer): ContainerInfo {
  const { State: state } = container;
  const over = state.Status === 'exited' || state.Status === 'dead';
  return {
    id: container.Id,
    name: container.Name.replace(/^\//, ''),
    imageId: container.Image,
    labels: container.Config.Labels ?? {},
    state: state.Status,
    createdAt: new Date(container.Created),
    exitCode: over ? state.ExitCode : undefined,
    oomKilled: state.OOMKilled,
    error: state.Error,
    startedAt: readTime(state.StartedAt),
    finishedAt: over ? readTime(state.FinishedAt) : undefined,
    mounts: (container.Mounts ?? []).map((mount) => ({
      type: mount.Type,
      source: mount.Name ?? mount.Source,
      target: mount.Destination,
      readOnly: !mount.RW,
    })),
    sizeRwBytes: container.SizeRw,
  };
}

/** Engines write the year 1 for "never". */
function readTime(text: string): Date | undefined {
  const time = new Date(text);
  return time.getTime() > 0 ? time : undefined;
}

import { Readable } from 'node:stream';
import type { ContainerEngine } from '../port.ts';
import { path, short } from './containers.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';

/** Files in and out of containers. */
export function archiveCalls(transport: Transport): Pick<ContainerEngine, 'putArchive' | 'getArchive'> {
  return {
    async putArchive(id, directory, tar, options) {
      const call = {
        operation: `copy files to ${short(id)}:${directory}`,
        method: 'PUT',
        path: `${path(id)}/archive`,
        query: { path: directory },
        upload: tar,
      } as const;
      await transport.json(call, options, LIMIT.idle);
    },
    async getArchive(id, file, options) {
      const call = {
        operation: `copy files from ${short(id)}:${file}`,
        method: 'GET',
        path: `${path(id)}/archive`,
        query: { path: file },
      } as const;
      const limit = { idleMs: options?.timeoutMs ?? LIMIT.idle };
      return Readable.from(await transport.stream(call, limit, options?.signal), { objectMode: false });
    },
  };
}

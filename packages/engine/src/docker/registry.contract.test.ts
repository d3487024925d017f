import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat, truncate } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransferProgress } from '../image.ts';
import type { ContainerEngine } from '../port.ts';
import { packEntries } from '../tar.ts';
import { REGISTRY_LOGIN, startDebianRegistry } from '../testing/debian-registry.ts';
import { connectEngine } from './connect.ts';

/**
 * A registry with one image, which wants a token as public registries do: engines ask for one anonymously, BuildKit only
 * after it has asked the session who we are. Source: distribution/distribution, docs/spec.
 */
async function startRegistry(): Promise<{ server: Server; host: string; tokens: () => number }> {
  const layer = await buffer(packEntries([{ name: 'hello', content: randomBytes(20).toString('hex') }]));
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Env: ['FROM=registry'] },
      rootfs: { type: 'layers', diff_ids: [digest(layer)] },
      history: [{ created: '2020-01-01T00:00:00Z' }],
    }),
  );
  const blobs = [config, gzipSync(layer)] as const;
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: 'application/vnd.docker.container.image.v1+json', ...described(blobs[0]) },
      layers: [{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', ...described(blobs[1]) }],
    }),
  );
  let tokens = 0;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/token') {
      tokens += 1;
      response.end(JSON.stringify({ token: 'anonymous', access_token: 'anonymous', expires_in: 300 }));
    } else if (request.headers.authorization !== 'Bearer anonymous') {
      const challenge = `Bearer realm="http://${request.headers.host}/token",service="test",scope="repository:word:pull"`;
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    } else if (path === '/v2/') {
      response.end('{}');
    } else if (path === '/v2/word/manifests/1' || path === `/v2/word/manifests/${digest(manifest)}`) {
      const headers = { 'Content-Type': MANIFEST, 'Docker-Content-Digest': digest(manifest) };
      response.writeHead(200, { ...headers, 'Content-Length': manifest.length });
      response.end(request.method === 'HEAD' ? undefined : manifest);
    } else {
      const blob = blobs.find((it) => path === `/v2/word/blobs/${digest(it)}`);
      response.writeHead(blob ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(blob ?? JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] }));
    }
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer(answer).listen(0, '127.0.0.1', resolve);
  await promise;
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}`, tokens: () => tokens };
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

function digest(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function described(blob: Buffer): { digest: string; size: number } {
  return { digest: digest(blob), size: blob.length };
}

describe('an image of a registry', () => {
  let engine: ContainerEngine;
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  const made: string[] = [];

  beforeAll(async () => {
    engine = await connectEngine();
    registry = await startRegistry();
  });
  afterAll(async () => {
    for (const image of made) await engine.removeImage(image, { force: true });
    registry.server.closeAllConnections();
    registry.server.close();
    engine.close();
  });

  test('is the base of a build without having been pulled', async () => {
    const id = await engine.build({
      context: packEntries([{ name: 'Dockerfile', content: `FROM ${registry.host}/word:1\nENV BUILT=yes\n` }]),
      tags: [`ssebench-test-${randomBytes(4).toString('hex')}:1`],
      labels: { 'ssebench.test': 'contract' },
      timeoutMs: 60_000,
    });
    made.push(id);
    expect((await engine.inspectImage(id))?.env).toMatchObject({ FROM: 'registry', BUILT: 'yes' });
    expect(registry.tokens()).toBeGreaterThan(0);
  });

  test('is pulled, with its progress', async () => {
    const ref = `${registry.host}/word:1`;
    const progress: TransferProgress[] = [];
    await engine.pull(ref, { onProgress: (line) => progress.push(line) });
    made.push(ref);
    expect(await engine.inspectImage(ref)).toMatchObject({ tags: [ref], env: { FROM: 'registry' } });
    // The build may have brought the layer before.
    const layer = { id: expect.any(String), status: expect.stringMatching(/^(Pull complete|Already exists)$/) };
    expect(progress).toContainEqual(layer);
  });

  test('that is not there is not_found; a registry that is not there refused', async () => {
    await expect(engine.pull(`${registry.host}/word:2`)).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.pull('127.0.0.1:1/word:1')).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('a registry of one’s own', () => {
  test('takes an image, which is found by its digest then, and nobody without the right password', async () => {
    const engine = await connectEngine();
    await using registry = await startDebianRegistry({ login: true });
    const ref = `${registry.host}/ssebench-test/word:1`;
    let id = ref;
    try {
      id = await engine.importImage({
        rootfs: packEntries([{ name: 'word', content: randomBytes(8).toString('hex') }]),
        ref,
        labels: { 'ssebench.test': 'contract' },
      });
      for (const auth of [undefined, { username: REGISTRY_LOGIN.username, password: 'wrong' }])
        await expect(engine.push(ref, { auth })).rejects.toMatchObject({
          code: 'refused',
          detail: expect.stringMatching(/no basic auth credentials|unauthorized/),
        });
      const progress: TransferProgress[] = [];
      const digest = await engine.push(ref, { auth: REGISTRY_LOGIN, onProgress: (line) => progress.push(line) });
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(progress).toContainEqual({ id: expect.any(String), status: 'Pushed' });
      const pinned = `${registry.host}/ssebench-test/word@${digest}`;
      expect((await engine.inspectImage(id))?.repoDigests).toEqual([pinned]);
      await engine.removeImage(id, { force: true });
      await expect(engine.pull(pinned)).rejects.toMatchObject({ code: expect.stringMatching(/^(refused|not_found)$/) });
      await engine.pull(pinned, { auth: REGISTRY_LOGIN });
      expect(await engine.inspectImage(pinned)).toMatchObject({ id, repoDigests: [pinned] });
    } finally {
      await engine.removeImage(id, { force: true });
      engine.close();
    }
  });

  test('half a layer is not taken for an image', async () => {
    const engine = await connectEngine();
    await using registry = await startDebianRegistry();
    const ref = `${registry.host}/ssebench-test/half:1`;
    const rootfs = packEntries([{ name: 'noise', content: randomBytes(400_000) }]);
    await engine.importImage({ rootfs, ref, labels: { 'ssebench.test': 'contract' } });
    await engine.push(ref);
    await engine.removeImage(ref, { force: true });
    await halveLargestFile(registry.storage);
    await expect(engine.pull(ref)).rejects.toMatchObject({
      code: 'refused',
      detail: expect.stringMatching(/unexpected EOF|verification failed/),
    });
    expect(await engine.inspectImage(ref)).toBeUndefined();
    engine.close();
  });

  test('an image that the engine does not have is not_found', async () => {
    const engine = await connectEngine();
    await expect(engine.push('127.0.0.1:1/ssebench-test/no-such-image:1')).rejects.toMatchObject({ code: 'not_found' });
    engine.close();
  });
});

async function halveLargestFile(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (path) => ({ path, size: (await stat(path)).size })));
  const [largest] = sizes.sort((a, b) => b.size - a.size);
  if (largest) await truncate(largest.path, Math.floor(largest.size / 2));
}

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../../cli/test-cli.ts';
import { makeManifest, renderManifest } from '../manifest/make-manifest.ts';
import { datasetFolder } from '../testing/dataset-folder.ts';
import { readCatalog, readImagesLock } from './read-catalog.ts';

/** What a server answers by the path that is asked for. */
type Answers = Readonly<Record<string, (response: ServerResponse, origin: string) => void>>;

async function serve(answers: Answers, secret?: { key: string; cert: string }) {
  let origin = '';
  const listener: RequestListener = (request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer) answer(response, origin);
    else response.writeHead(404).end();
  };
  const server = secret ? createSecureServer(secret, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `${secret ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const to = (location: string) => (response: ServerResponse, origin: string) =>
  response.writeHead(302, { location: location.replace('<origin>', origin) }).end();

function manifest(): string {
  using folder = datasetFolder();
  return renderManifest(makeManifest(folder.dir));
}

test('a catalog is read from its address, from that of its folder, and where these lead', async () => {
  const text = manifest();
  await using server = await serve({
    '/a/manifest.json': (response) => response.end(text),
    '/moved.json': to('/b'),
    '/b': to('<origin>/a/manifest.json'),
  });
  for (const path of ['/a/manifest.json', '/a', '/a/', '/moved.json']) {
    const catalog = await readCatalog(server.origin + path);
    expect(catalog.manifest.tasks.map(({ id }) => id)).toEqual(['leak-1']);
    expect(catalog.dir).toBeNull();
    expect(await readImagesLock(catalog, undefined)).toBeUndefined();
  }
});

test.each<[string, Answers[string], RegExp]>([
  ['an address that leads to itself', to('/x.json'), /\/x\.json: redirects more than 5 times$/],
  [
    'an address that leads to a file',
    to('file:///etc/passwd'),
    /\/x\.json: leads to file:\/\/, which is not followed$/,
  ],
  [
    'an address that leads nowhere',
    (response) => response.writeHead(301).end(),
    /answered 301 without an address to go to$/,
  ],
  ['a server that denies', (response) => response.writeHead(401).end('no'), /\/x\.json: answered 401 Unauthorized$/],
  ['a server that fails', (response) => response.writeHead(503).end(), /answered 503 Service Unavailable$/],
  ['a page', (response) => response.end('<html>'), /\/x\.json: is no JSON: /],
  ['bytes that are no text', (response) => response.end(Buffer.from([0xff, 0xfe])), /is not UTF-8 text$/],
  ['too much', (response) => response.end(Buffer.alloc(3 * 2 ** 20, ' ')), /is larger than 2 MiB$/],
  [
    'half an answer',
    (response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    /\/x\.json: can't be read: /,
  ],
  ['an answer that never ends', (response) => response.write('{'), /\/x\.json: no whole answer within 0\.5 s$/],
  ['a server that says nothing', () => undefined, /no whole answer within 0\.5 s$/],
])('%s is one clear message', async (_, answer, message) => {
  await using server = await serve({ '/x.json': answer ?? (() => undefined) });
  await expect(readCatalog(`${server.origin}/x.json`, { timeMs: 500, bytes: 2 * 2 ** 20 })).rejects.toThrow(message);
});

test('an address with https leads to others with it, never to one without', async () => {
  const secret = certificate();
  const trusted = getCACertificates('default');
  setDefaultCACertificates([secret.cert]);
  try {
    const text = manifest();
    await using open = await serve({ '/manifest.json': (response) => response.end(text) });
    await using server = await serve(
      { '/a.json': to('<origin>/b.json'), '/b.json': (response) => response.end(text), '/down.json': to(open.origin) },
      secret,
    );
    expect((await readCatalog(`${server.origin}/a.json`)).manifest.tasks).toHaveLength(1);
    expect((await readCatalog(open.origin)).manifest.tasks).toHaveLength(1);
    await expect(readCatalog(`${server.origin}/down.json`)).rejects.toThrow(
      /\/down\.json: leads to http:\/\/, which is not followed$/,
    );
  } finally {
    setDefaultCACertificates(trusted);
  }
});

/** Of 127.0.0.1, signed by itself, with its key. */
function certificate(): { key: string; cert: string } {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'https-'));
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...name, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

test('nobody there, and a name that nobody knows, are told as such', async () => {
  const { origin } = await (async () => {
    await using server = await serve({});
    return { origin: server.origin };
  })();
  await expect(readCatalog(`${origin}/x.json`)).rejects.toThrow(/nobody answers there/);
  await expect(readCatalog('http://no-such-host.invalid/x.json')).rejects.toThrow(
    /its host's name is not known|can't be read/,
  );
  await expect(readCatalog('http://[')).rejects.toThrow('http://[: is no web address');
  const catalog = { manifest: JSON.parse(manifest()), shownAs: 'x', dir: null };
  await expect(readImagesLock(catalog, 'https://')).rejects.toThrow('https://: is no web address');
});

const DIGEST = `sha256:${'a'.repeat(64)}`;

function listed(home: CliFolder, ...args: string[]) {
  const { status, stdout, stderr } = home.ssebench(['tasks', 'list', '--json', ...args]);
  return {
    status,
    stderr,
    images: status === 0 ? JSON.parse(stdout).map(({ image }: { image: string }) => image) : stdout,
  };
}

test('a lock pins the images of the version and the files that it was made for', async () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  home.ssebench(['dataset', 'manifest', 'data/set']);
  const { loadTask } = await import('../../config/tasks.ts');
  const { filesDigest } = loadTask(`${home.dir}/data/set`, 'leak-1');
  const lock = (version: string, files: string) =>
    JSON.stringify({
      dataset: 'set',
      version,
      images: { 'leak-1': { digest: DIGEST, files_sha256: files, revision: '0'.repeat(40) } },
    });
  const byTag = ['localhost/ssebench/case/set/leak-1:set-v1'];
  expect(listed(home, '--catalog', 'data/set')).toEqual({ status: 0, stderr: '', images: byTag });
  home.write('data/set/images.lock.json', lock('set-v1', filesDigest));
  expect(listed(home, '--catalog', 'data/set/manifest.json').images).toEqual([
    `localhost/ssebench/case/set/leak-1@${DIGEST}`,
  ]);
  home.write('data/set/images.lock.json', lock('set-v2', filesDigest));
  expect(listed(home, '--catalog', 'data/set')).toMatchObject({
    stderr:
      'warning: the images lock is of set set-v2, data/set/manifest.json of set set-v1: images are named by tag\n',
    images: byTag,
  });
  home.write('data/set/images.lock.json', lock('set-v1', 'f'.repeat(64)));
  expect(listed(home, '--catalog', 'data/set').stderr).toMatch(
    /^warning: leak-1: its files are not those of the image/,
  );
  home.write('data/set/images.lock.json', '{"dataset": "set", "tasks": {}}');
  expect(listed(home, '--catalog', 'data/set')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/images\.lock\.json: /),
  });
});

test('a manifest of another version than its dataset is refused, and so is one with another shape', () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  home.ssebench(['dataset', 'manifest', 'data/set']);
  home.write('data/set/dataset.yaml', 'version: set-v2\n');
  expect(listed(home, '--catalog', 'data/set')).toEqual({
    status: 1,
    images: '',
    stderr:
      'data/set/manifest.json: is of version set-v1, but data/set/dataset.yaml says set-v2; run: ssebench dataset manifest data/set\n',
  });
  home.write('other.json', '{"format": 2, "dataset": "set", "version": "set-v1", "tasks": []}');
  expect(listed(home, '--catalog', 'other.json').stderr).toMatch(/^other\.json: format: unknown key/);
  expect(listed(home, '--catalog', 'none.json').stderr).toBe('none.json: no such file\n');
  expect(listed(home, '--catalog', 'x', '--local', 'y').status).toBe(2);
});

import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { programBase } from '@ssebench/bench/images/program-base';
import { type ImagesLock, PublicationRecord } from '@ssebench/contracts/dataset-manifest';
import { LABEL } from '@ssebench/contracts/labels';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { packEntries } from '@ssebench/engine/tar';
import { type DebianRegistry, REGISTRY_LOGIN, startDebianRegistry } from '@ssebench/engine/testing/debian-registry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { added } from './support/added-file.ts';
import { CHECKOUT, startSsebench } from './support/command.ts';
import { runDirectory, summaryIn, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const REVISION = '0123456789'.repeat(4);

/** Quick to build and to check: its scripts look at which files the tree has. */
const TASK: Record<string, string> = {
  Dockerfile: `ARG SSEBENCH_REGISTRY=localhost/ssebench
FROM \${SSEBENCH_REGISTRY}/base-generic-c:1.0.0
WORKDIR /src/files
RUN echo "A feature." > feature && git init -q && git add --all && \\
    git -c user.name=ssebench -c user.email=ssebench@localhost commit -q -m "buggy commit"
COPY sse /ssebench
RUN chmod +x /ssebench/scripts/*.sh
`,
  'sse/config.yaml': `id: published-c
project: files
repository: https://example.org/files
language: c
source: /src/files
task_description:
  issue: A file is missing.
scripts:
  build: scripts/build.sh
  run: scripts/run.sh
  test: scripts/test.sh
files:
  patch: diffs/patch.diff
  poc:
  - pocs/poc.txt
  future_test: diffs/test.diff
originality: crafted
`,
  'sse/scripts/build.sh': '#!/bin/sh\nexit 0\n',
  'sse/scripts/run.sh': '#!/bin/sh\n[ -f fixed ]\n',
  'sse/scripts/test.sh': '#!/bin/sh\n[ -f feature ] || exit 1\n[ ! -f hidden ] || [ -f fixed ]\n',
  'sse/pocs/poc.txt': 'poc\n',
  'sse/diffs/patch.diff': added('fixed', 'The file that was missing is here now, whole and sound.'),
  'sse/diffs/test.diff': added('hidden'),
};

/** Its heavy part is a file that no image of a task has. */
const HEAVY = {
  dockerfile: `FROM ssebench-program AS program
RUN echo heavy >part
FROM ssebench-agent
CMD ["cat", "/opt/agent/part"]
`,
};

let engine: ContainerEngine;
let registry: DebianRegistry;
let workspace: Workspace;
/** Where the task is made, and where it is published. */
let made: string;
let published: string;

describe.runIf(everything)('a dataset that is published', () => {
  beforeAll(async () => {
    engine = await connectEngine();
    registry = await startDebianRegistry();
    made = `${registry.host}/made`;
    published = `${registry.host}/published`;
    workspace = await Workspace.create({ heavy: HEAVY });
    for (const [path, content] of Object.entries(TASK)) await put(`set/published-c/${path}`, content);
    await put('set/dataset.yaml', 'version: set-v1\n');
    // So that something has made what everybody shares.
    await workspace.runOnNoop('reference');
    await shareWithPrefixes();
  });

  afterAll(async () => {
    for (const tag of await tagsHere()) await engine.removeImage(tag, { force: true });
    for (const { name } of await engine.listVolumes({ [LABEL.agent]: 'heavy' })) await engine.removeVolume(name);
    engine.close();
    await workspace[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  test('only a verified task goes to the registry', async () => {
    const early = await publish('published-c');
    expect(early.status).toBe(1);
    expect(early.stderr).toMatch(
      /published-c: was not verified as it is now; run: ssebench dataset verify published-c/,
    );
    expect(await at(made, 'dataset', 'manifest', 'set')).toMatchObject({ status: 0 });
    const verified = await at(made, 'dataset', 'verify', '--dir', 'set', '-o', 'proof');
    expect(verified, verified.stderr).toMatchObject({ status: 0 });

    const { stdout, stderr, status } = await publish('--agent', 'reference', 'dummy', 'heavy');
    expect(status, stderr).toBe(0);
    const record = PublicationRecord.parse(JSON.parse(await text('proof/published/published-c.json')));
    expect(record).toMatchObject({
      task: 'published-c',
      dataset: 'set',
      version: 'set-v1',
      image: 'case/set/published-c',
      tags: ['set-v1-0123456', 'set-v1'],
      revision: REVISION,
      prebuilt: { agents: { reference: {}, dummy: {}, heavy: { program: expect.stringMatching(/^sha256:/) } } },
    });
    expect(record.prebuilt?.agents['dummy']).not.toHaveProperty('program');
    expect(stdout).toContain(`published ${published}/case/set/published-c@${record.digest}`);
    await interruptPublishing();
    // What runs with the agents need is there still, and stays written down.
    expect(await publish()).toMatchObject({ status: 0 });
    expect(JSON.parse(await text('proof/published/published-c.json'))).toEqual(record);
    expect(await at(made, 'dataset', 'lock', 'set', '--records', 'proof')).toMatchObject({ status: 0 });
    expect(JSON.parse(await text('set/images.lock.json'))).toMatchObject({
      images: { 'published-c': { digest: record.digest } },
      prebuilt: { 'published-c': record.prebuilt },
    });
    // Others have nothing but these two files.
    for (const name of ['manifest.json', 'images.lock.json']) await put(`catalog/${name}`, await text(`set/${name}`));
    await rm(join(workspace.path, 'set'), { recursive: true });
  });

  test('it runs from its catalog alone: the image is pulled by its digest, which the summary names', async () => {
    await forget();
    const { summary, stderr } = await run('reference', 'catalog');
    expect(summary.outcome, stderr).toMatchObject({ code: 'graded' });
    expect(summary.patch_result.status).toBe('passed');
    const { images } = await lock();
    expect(summary.images.pulled).toEqual({
      dataset: 'set',
      version: 'set-v1',
      image: `${published}/case/set/published-c`,
      digest: images['published-c']?.digest,
    });
    expect(summary.versions.dataset).toBe('set-v1');
  });

  test('with --prebuilt nothing is built, for the agents that were published', async () => {
    await forget();
    const { prebuilt } = await lock();
    const idOf = async (name: string, digest: string | undefined) =>
      (await engine.inspectImage(`${published}/${name}/published-c@${digest}`))?.id;
    for (const agent of ['reference', 'dummy']) {
      const { summary, stderr } = await run(agent, 'catalog', '--prebuilt');
      expect(summary.outcome, stderr).toMatchObject({ code: 'graded' });
      expect(summary.images).toMatchObject({
        work: await idOf('work', prebuilt?.work),
        tool: await idOf('tool', prebuilt?.tool),
        agent: await idOf(`agent-${agent}`, prebuilt?.agents[agent]?.image),
      });
    }
    const other = await run('mini', 'catalog', '--prebuilt');
    expect(other.summary.outcome.fault).toMatchObject({
      code: 'image_unavailable',
      detail: expect.stringMatching(
        /has no image of the agent "mini"; published: reference, dummy, heavy\n.*leave --prebuilt away/s,
      ),
    });
  });

  test('an agent’s program is pulled by its digest, too, where neither its image nor its volume is', async () => {
    await forget();
    const volumes = async () => (await engine.listVolumes({ [LABEL.agent]: 'heavy' })).map(({ name }) => name);
    for (const name of await volumes()) await engine.removeVolume(name);
    const { summary, stderr, directory } = await run('heavy', 'catalog', '--prebuilt');
    expect(summary.outcome, stderr).toMatchObject({ code: 'graded' });
    expect(await readFile(join(directory, 'agent.log'), 'utf8')).toBe('heavy\n');
    const { prebuilt } = await lock();
    const program = await engine.inspectImage(`${published}/program-heavy@${prebuilt?.agents['heavy']?.program}`);
    expect(program?.id).toMatch(/^sha256:/);
    expect(summary.images.program).toBe(program?.id);
    expect(await volumes()).toHaveLength(1);
  });

  test('a patch is graded from the catalog, too', async () => {
    await put('fix.diff', TASK['sse/diffs/patch.diff'] ?? '');
    const end = await at(published, 'grade', '--task', 'published-c', '--catalog', 'catalog', '--patch', 'fix.diff');
    expect(end.stdout, end.stderr).toContain('Grade: passed');
  });

  test('what keeps an image away is said with its remedy', async () => {
    await forget();
    const gone = await text('catalog/images.lock.json');
    const { images } = await lock();
    await put('gone/manifest.json', await text('catalog/manifest.json'));
    await put(
      'gone/images.lock.json',
      gone.replaceAll(images['published-c']?.digest ?? '', `sha256:${'0'.repeat(64)}`),
    );
    expect((await run('dummy', 'gone')).summary.outcome.fault).toMatchObject({
      code: 'image_unavailable',
      retryable: false,
      detail: expect.stringMatching(
        /@sha256:0{64} can't be pulled: .*; gone\/images\.lock\.json names it.*\n.*--local/s,
      ),
    });

    await put('foreign/manifest.json', (await text('catalog/manifest.json')).replace('"amd64"', '"arm64"'));
    expect((await run('dummy', 'foreign')).summary.outcome.fault?.detail).toMatch(/ is for arm64, the engine is x64/);

    await put('unlocked/manifest.json', await text('catalog/manifest.json'));
    expect((await run('dummy', 'unlocked', '--prebuilt')).summary.outcome.fault).toMatchObject({
      code: 'image_unavailable',
      detail: expect.stringMatching(
        /there is no images lock for it\nname one of its version with SSEBENCH_IMAGES_LOCK/,
      ),
    });

    await using busy = await busyRegistry();
    expect((await run('dummy', 'catalog', { at: `${busy.host}/published` })).summary.outcome.fault).toMatchObject({
      code: 'image_unavailable',
      retryable: true,
      detail: expect.stringMatching(/\nthe registry wants fewer requests: try again later/),
    });

    await using closed = await startDebianRegistry({ login: true });
    const denied = await run('dummy', 'catalog', { at: `${closed.host}/published` });
    expect(denied.summary.outcome.fault).toMatchObject({
      code: 'image_unavailable',
      detail: expect.stringMatching(/\nlog in with "docker login"/),
    });
    const auth = Buffer.from(`${REGISTRY_LOGIN.username}:${REGISTRY_LOGIN.password}`).toString('base64');
    await put('client/config.json', JSON.stringify({ auths: { [closed.host]: { auth } } }));
    const known = workspace.withVariables({
      SSEBENCH_EXTRA_CA: 'none',
      SSEBENCH_REGISTRY: `${closed.host}/published`,
      DOCKER_CONFIG: join(workspace.path, 'client'),
    });
    const absent = await known.run(...command('dummy', 'catalog'));
    expect((await summaryIn(runDirectory(absent))).outcome.fault?.detail).toMatch(/manifest unknown|not found/);
  });
});

/** Ctrl-C while a registry does not answer: nothing that was only for the way there is left. */
async function interruptPublishing(): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tags = async () =>
    (await engine.listImages({})).flatMap((image) => image.tags).filter((tag) => tag.startsWith(host));
  try {
    const args = [
      'dataset',
      'publish',
      '--dir',
      'set',
      '-o',
      'proof',
      '--revision',
      REVISION,
      '--registry',
      `${host}/x`,
    ];
    const variables = { SSEBENCH_EXTRA_CA: 'none', SSEBENCH_REGISTRY: made };
    const asked = once(server, 'connection');
    const { child, ended } = startSsebench(args, {
      cwd: workspace.path,
      env: { ...workspace.environment, ...variables },
    });
    await asked;
    expect(await tags()).toHaveLength(1);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 130, stderr: 'Interrupted\n' });
    expect(await tags()).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A registry that has had enough. */
async function busyRegistry() {
  const words = JSON.stringify({
    errors: [{ code: 'TOOMANYREQUESTS', message: 'you have reached your pull rate limit' }],
  });
  const server = createServer((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json' }).end(words);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Runs the command with images of this prefix, trusting nobody in particular. */
function at(prefix: string, ...args: string[]) {
  return workspace.withVariables({ SSEBENCH_EXTRA_CA: 'none', SSEBENCH_REGISTRY: prefix }).run(...args);
}

function publish(...options: string[]) {
  const where = ['--dir', 'set', '-o', 'proof', '--registry', published, '--revision', REVISION];
  return at(made, 'dataset', 'publish', ...where, ...options);
}

function command(agent: string, catalog: string, ...options: string[]): string[] {
  const model = agent === 'reference' ? [] : ['--model', 'claude-sonnet-4-6'];
  return ['run', '--task', 'published-c', '--catalog', catalog, '--agent', agent, ...model, ...options];
}

async function run(agent: string, catalog: string, option: '--prebuilt' | { at: string } | undefined = undefined) {
  const prefix = typeof option === 'object' ? option.at : published;
  const end = await at(prefix, ...command(agent, catalog, ...(typeof option === 'string' ? [option] : [])));
  const directory = runDirectory(end);
  return { ...end, directory, summary: await summaryIn(directory) };
}

async function lock() {
  const { images, prebuilt } = JSON.parse(await text('catalog/images.lock.json')) as ImagesLock;
  return { images, prebuilt: prebuilt?.['published-c'] };
}

async function put(path: string, content: string): Promise<void> {
  const file = join(workspace.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  if (path.endsWith('.sh')) await chmod(file, 0o755);
}

function text(path: string): Promise<string> {
  return readFile(join(workspace.path, path), 'utf8');
}

async function tagsHere(): Promise<string[]> {
  const images = await engine.listImages({});
  return images.flatMap(({ tags }) => tags).filter((tag) => tag.startsWith(`${registry.host}/`));
}

/** Takes away every image of the task, so that it has to come from the registry. */
async function forget(): Promise<void> {
  const shared = /\/(?:node|runtime|base-generic-c):/;
  for (const tag of await tagsHere()) if (!shared.test(tag)) await engine.removeImage(tag, { force: true });
}

/** Gives both prefixes what takes long to make: Node.js, the runtime, and a base as others publish it. */
async function shareWithPrefixes(): Promise<void> {
  const tags = (await engine.listImages({})).flatMap((image) => image.tags);
  for (const tag of tags.filter((it) => /^localhost\/ssebench\/(?:node|runtime):/.test(it)))
    for (const prefix of [made, published]) await engine.tag(tag, prefix + tag.slice('localhost/ssebench'.length));
  const root = tags.find((tag) => tag.startsWith('localhost/ssebench/root:'));
  await engine.build({
    context: packEntries([{ name: 'Dockerfile', content: `FROM scratch\nCOPY --from=${root} / /\n` }]),
    tags: [`${made}/base-generic-c:1.0.0`],
    labels: {},
  });
  // What programs are built on needs a network otherwise; it is never part of what is published.
  const { ref, key } = programBase({ home: CHECKOUT, registry: made, extraCa: 'none' });
  await engine.build({
    context: packEntries([
      { name: 'Dockerfile', content: `FROM scratch\nCOPY --from=${root} / /\nWORKDIR /opt/agent\n` },
    ]),
    tags: [ref],
    labels: { [LABEL.key]: key },
  });
}

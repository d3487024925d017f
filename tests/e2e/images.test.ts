import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCases } from '@ssebench/bench/images/build-cases';
import { ensureImages } from '@ssebench/bench/images/ensure';
import { readExtraCa } from '@ssebench/bench/images/extra-ca';
import { pullCase } from '@ssebench/bench/images/pull';
import { ensureRoot, rootImage } from '@ssebench/bench/images/root';
import { type Fault, FaultError } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { PreparedImage } from '@ssebench/contracts/prepared-image';
import { unpackFile } from '@ssebench/engine/tar';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { type Bench, imageBench, REGISTRY, TestTask, testAgent } from './support/image-fixtures.ts';

let bench: Bench;
let task: TestTask;
let agentDir: string;

beforeAll(async () => {
  bench = await imageBench();
  agentDir = await mkdtemp(join(tmpdir(), 'images-e2e-agent-'));
});
beforeEach(async () => {
  task = await TestTask.create();
});
afterEach(() => task[Symbol.asyncDispose]());
afterAll(async () => {
  await rm(agentDir, { recursive: true });
  await bench[Symbol.asyncDispose]();
});

async function ensure(agentDockerfile?: string) {
  const agent = await testAgent(agentDir, agentDockerfile);
  bench.builds.length = 0;
  const images = await ensureImages({ ...bench.context, task: task.load(), agent });
  const built = bench.builds.map((tag) => tag.slice(REGISTRY.length + 1).split('/')[0] ?? '');
  // Bases and runtime are the same for all tasks: whether they are there is not this test's doing.
  return { images, built: built.filter((name) => !/^(root|base-|node:|runtime:)/.test(name)) };
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** A file of an image; undefined when it isn't there. */
async function fileIn(image: string, path: string): Promise<string | undefined> {
  const { engine } = bench;
  const id = await engine.createContainer({
    image,
    cmd: ['/bin/true'],
    labels: { 'ssebench.test': 'images' },
    network: 'none',
    capabilities: [],
    noNewPrivileges: true,
  });
  try {
    const tar = await engine.getArchive(id, path);
    return (await unpackFile(tar, path.split('/').at(-1) ?? '', { maxBytes: 1_000_000 }))?.toString();
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return undefined;
    throw error;
  } finally {
    await engine.remove(id, { force: true });
  }
}

describe('the images of a run', () => {
  test('are built bottom up, and found without a build as long as nothing changes', async () => {
    const first = await ensure();
    expect(first.built).toEqual(['case', 'work', 'tool', 'agent-dummy']);
    expect(first.images.baseTag).toBe(`${REGISTRY}/base-generic-c:1.0.0`);
    expect(first.images.agentImage).toMatchObject({
      cmd: ['echo', 'The dummy agent changes nothing.'],
      workdir: '/src/noop',
    });

    const start = performance.now();
    const second = await ensure();
    expect(performance.now() - start).toBeLessThan(1000);
    expect(second.built).toEqual([]);
    expect(second.images).toEqual(first.images);
  });

  test("hold the answers only where grading is, and the case image's environment for the scripts", async () => {
    const hostile = 'ENV NODE_OPTIONS=--no-such-option LD_PRELOAD=/none.so GREETING="a b"';
    await task.edit('Dockerfile', (text) => `${text}\n${hostile}\n`);
    const { images } = await ensure();
    const prepared = PreparedImage.parse(JSON.parse((await fileIn(images.work?.id ?? '', CONTAINER.prepared)) ?? ''));
    expect(prepared).toMatchObject({ variant: 'work', source: '/src/noop', script_env: { GREETING: 'a b' } });
    expect(prepared.script_env['NODE_OPTIONS']).toBe('--no-such-option');
    expect(await fileIn(images.tool.id, '/ssebench/diffs/patch.diff')).toContain('diff');
    expect(await fileIn(images.work?.id ?? '', '/ssebench/diffs/patch.diff')).toBeUndefined();
    expect(await fileIn(images.agentImage?.id ?? '', '/ssebench/diffs/patch.diff')).toBeUndefined();
  });

  test('stand on each other: a changed task is built anew from the case image on, and its old images go', async () => {
    const before = await ensure();
    await task.edit('sse/reports/issue.md', (text) => `${text}\nMore.\n`);
    const after = await ensure();
    expect(after.built).toEqual(['case', 'work', 'tool', 'agent-dummy']);
    for (const old of [before.images.work, before.images.tool, before.images.agentImage]) {
      expect(await bench.engine.inspectImage(old?.tag ?? '')).toBeUndefined();
    }
    expect((await ensure()).built).toEqual([]);
  });

  test('stay as long as a run of the task may want them', async () => {
    const before = await ensure();
    const id = await bench.engine.createContainer({
      image: before.images.agentImage?.id ?? '',
      cmd: ['/bin/true'],
      labels: { [LABEL.runId]: 'under-way' },
      network: 'none',
      capabilities: [],
      noNewPrivileges: true,
    });
    try {
      await task.edit('sse/reports/issue.md', (text) => `${text}\nMore.\n`);
      await ensure();
      expect((await bench.engine.inspectImage(before.images.tool.tag))?.id).toBe(before.images.tool.id);
    } finally {
      await bench.engine.remove(id, { force: true });
    }
    await task.edit('sse/reports/issue.md', (text) => `${text}\nMore.\n`);
    await ensure();
    expect(await bench.engine.inspectImage(before.images.tool.tag)).toBeUndefined();
  });

  test('of another agent leave those beneath alone', async () => {
    await ensure();
    const other = await ensure('FROM ssebench-agent\nRUN true\nCMD ./go\n');
    expect(other.built).toEqual(['agent-dummy']);
    expect(other.images.agentImage?.cmd).toEqual(['/bin/sh', '-c', './go']);
  });

  test('of two agents whose manifests have one name stay beside each other', async () => {
    const loaded = task.load();
    const built = async (folder: string) => {
      const dir = join(agentDir, folder);
      await mkdir(dir);
      const agent = { ...(await testAgent(dir, `FROM ssebench-agent\nCMD ["${folder}"]\n`)), folder };
      return (await ensureImages({ ...bench.context, task: loaded, agent })).agentImage;
    };
    const one = await built('one');
    const two = await built('two');
    expect((await bench.engine.inspectImage(one?.tag ?? ''))?.id).toBe(one?.id);
    expect((await bench.engine.inspectImage(two?.tag ?? ''))?.cmd).toEqual(['two']);
  });

  test('can be made by two commands at once', async () => {
    const other = await imageBench();
    const loaded = task.load();
    const agent = await testAgent(agentDir);
    const [a, b] = await Promise.all(
      [bench, other].map(({ context }) => ensureImages({ ...context, task: loaded, agent })),
    );
    await other[Symbol.asyncDispose]();
    for (const images of [a, b]) {
      expect(await bench.engine.inspectImage(images?.agentImage?.id ?? '')).toBeDefined();
    }
  });

  test('of a task alone are found by its label: an image without one is out of date', async () => {
    const loaded = task.load();
    expect(await buildCases(bench.context, [loaded])).toMatchObject({ succeeded: 1, outcomes: [{ cached: false }] });
    expect(await buildCases(bench.context, [loaded])).toMatchObject({ succeeded: 1, outcomes: [{ cached: true }] });
    const name = `${REGISTRY}/case/${loaded.dataset}/${loaded.id}`.toLowerCase();
    expect((await bench.engine.inspectImage(name))?.labels[LABEL.taskFiles]).toBe(loaded.filesDigest);
    const base = await bench.engine.inspectImage(`${REGISTRY}/base-generic-c:1.0.0`);
    await bench.engine.tag(base?.id ?? '', name);
    expect(await buildCases(bench.context, [loaded])).toMatchObject({ outcomes: [{ cached: false }] });
  });
});

test('bases of another registry stay as they are; certificates are added to a copy that the task is built on', async () => {
  const certificate = join(CHECKOUT, 'packages/bench/src/images/fixtures/company-ca.pem');
  const registry = `registry.invalid/${task.id}`;
  const theirs = `${registry}/base-generic-c:1.0.0`;
  await ensure();
  const base = await bench.engine.inspectImage(`${REGISTRY}/base-generic-c:1.0.0`);
  await bench.engine.tag(base?.id ?? '', theirs);

  const context = { ...bench.context, registry, extraCa: certificate };
  expect(await buildCases(context, [task.load()])).toMatchObject({ succeeded: 1, failed: 0 });
  const built = (await bench.engine.listImages({ [LABEL.role]: 'case' })).find(({ tags }) =>
    tags.some((tag) => tag.startsWith(`${registry}/case/`)),
  );
  const body = (await readFile(certificate, 'utf8')).trim();
  expect(await fileIn(built?.id ?? '', '/etc/ssl/certs/ca-certificates.crt')).toContain(body);
  const print = new X509Certificate(body).fingerprint256.replaceAll(':', '').toLowerCase().slice(0, 16);
  expect(built?.labels[LABEL.extraCa]).toBe(print);
  expect((await bench.engine.inspectImage(theirs))?.id).toBe(base?.id);
  // It is taken again for who trusts them, and for nobody else.
  expect(await buildCases(context, [task.load()])).toMatchObject({ outcomes: [{ cached: true }] });
  const others = { ...context, extraCa: 'none' };
  expect(await buildCases(others, [task.load()])).toMatchObject({ succeeded: 1, outcomes: [{ cached: false }] });
  const extended = (await bench.engine.listImages({ [LABEL.extraCa]: print })).flatMap(({ tags }) => tags);
  for (const tag of extended.filter((name) => name.startsWith('localhost/ssebench-ca/'))) {
    await bench.engine.removeImage(tag);
  }
});

test('the root image that was made under our own prefix serves others', async () => {
  const ca = readExtraCa(bench.context.extraCa);
  const ours = rootImage(bench.context, ca);
  await ensureRoot(bench.context, ours, ca);
  const context = { ...bench.context, registry: `registry.invalid/${task.id}` };
  const theirs = rootImage(context, ca);
  bench.builds.length = 0;
  await ensureRoot(context, theirs, ca);
  expect(bench.builds).toEqual([]);
  const [one, other] = [await bench.engine.inspectImage(ours.ref), await bench.engine.inspectImage(theirs.ref)];
  expect(other?.id).toBe(one?.id);
});

test('an image that no registry has is built from the folder, which is told with the reason', async () => {
  const loaded = task.load();
  const published = { image: 'case/set/absent', version: 'set-v1', digest: null, base: '', arch: ['amd64', 'arm64'] };
  const named = { ...loaded, published: { ...published, lock: null, prebuilt: null } };
  bench.lines.length = 0;
  expect(await pullCase({ ...bench.context, registry: '127.0.0.1:9/none' }, named)).toBeUndefined();
  const said = /^127\.0\.0\.1:9\/none\/case\/set\/absent:set-v1 can't be pulled: .*; building it from .*$/;
  expect(bench.lines.at(-1)).toMatch(said);
});

describe('what can not be built says where and why', () => {
  test('a step that fails, with the end of its output; the other tasks are built', async () => {
    await using sound = await TestTask.create();
    await task.edit('Dockerfile', (text) => `${text}\nRUN echo before; seq 1 100; echo last words >&2; exit 7\n`);
    const built = await buildCases(bench.context, [task.load(), sound.load()], { jobs: 2 });
    expect(built).toMatchObject({ succeeded: 1, failed: 1 });
    const fault = await faultOf(ensure());
    expect(fault).toMatchObject({ code: 'image_build_failed', phase: 'prepare', blame: 'task' });
    expect(fault.detail).toMatch(/images-e2e-[^:]*\/Dockerfile: .*RUN echo before/);
    expect(fault.detail).toContain('last words');
    expect(fault.detail).not.toMatch(/^\s*10$/m);
  });

  test('an image without git', async () => {
    await task.edit('Dockerfile', (text) => `${text}\nRUN rm /usr/bin/git\n`);
    const fault = await faultOf(ensure());
    expect(fault).toMatchObject({ code: 'image_unusable', blame: 'task' });
    expect(fault.detail).toMatch(/\/Dockerfile: \/usr\/bin\/git is missing/);
  });

  test('a script that is not executable', async () => {
    await task.edit('Dockerfile', (text) => `${text}\nRUN chmod -x /ssebench/scripts/test.sh\n`);
    const fault = await faultOf(ensure());
    expect(fault.code).toBe('image_unusable');
    expect(fault.detail).toContain('/ssebench/scripts/test.sh is not executable');
  });

  test('an agent without a command, or on another image', async () => {
    const silent = await faultOf(ensure('FROM ssebench-agent\n'));
    expect(silent.detail).toMatch(/Dockerfile: the image has no CMD/);
    const foreign = await faultOf(ensure('FROM ssebench-agent\n\nCOPY --from=workspace /sdk /sdk\n'));
    expect(foreign.detail).toMatch(/Dockerfile:3: there is no build context "workspace"/);
  });

  test('a base that is unknown, and one of another registry that can not be pulled', async () => {
    await task.edit('Dockerfile', (text) => text.replace('base-generic-c', 'base-generic-cobol'));
    expect((await faultOf(ensure())).detail).toMatch(/there are: base-generic-c, base-generic-go, base-generic-rust$/);
    const context = { ...bench.context, registry: 'registry.invalid/team' };
    const { outcomes } = await buildCases(context, [task.load()]);
    expect(outcomes[0]?.error?.message).toMatch(/registry\.invalid.* can't be pulled.*\n.*SSEBENCH_REGISTRY/);
  });
});

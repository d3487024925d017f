import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { engineLeftovers } from '@ssebench/bench/gc/leftovers';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER, RESULT_FILE } from '@ssebench/contracts/layout';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { unpackFile } from '@ssebench/engine/tar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT, ssebench } from './support/command.ts';
import { found, LiveRun } from './support/live-run.ts';
import { NOOP_DATASET, runDirectory, scriptAgent, summaryIn, Workspace } from './support/workspace.ts';

/** How an engine is used that can't mount anything of this machine. */
const OFF = { SSEBENCH_HOST_MOUNTS: 'off' };

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const MODEL = 'claude-sonnet-4-6';
const REFERENCE = ['--agent', 'reference', '--require-pass'];

const LONG = 'z'.repeat(200);
/** Run IDs are nobody else's, also after a run of these tests that failed. */
const ours = (word: string) => `engines-${process.pid}-${word}`;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    here: scriptAgent('echo fixed > fix.txt; echo here > $SSE_ARCHIVE/here; sleep 4'),
    slow: scriptAgent('echo "sleep 6" > do-test'),
    waiting: scriptAgent('echo here > $SSE_ARCHIVE/here; exec sleep 600'),
    odd: scriptAgent(
      [
        'cd $SSE_ARCHIVE',
        'mkdir -p deep/er; echo kept > deep/er/file; ln -s /etc/passwd link; ln -s .. deep/up; mkfifo fifo',
        'printf "\\000\\377" > "odd \\" name"; : > empty',
        `i=0; while [ $i -lt 40 ]; do mkdir ${LONG} && cd ${LONG} || exit 0; i=$((i+1)); done`,
      ].join('\n'),
    ),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

async function run(env: Record<string, string>, ...args: string[]) {
  const end = await ssebench(['run', '--local', NOOP_DATASET, '--task', 'noop-c', ...args], {
    cwd: workspace.path,
    env: { ...workspace.environment, ...env },
  });
  return { end, directory: runDirectory(end), summary: await summaryIn(runDirectory(end)) };
}

/** What of a run is on the engine: roles of containers, names of volumes. */
async function onEngine(runId: string): Promise<{ containers: string[]; volumes: string[] }> {
  const engine = await connectEngine();
  try {
    const labels = { [LABEL.runId]: runId };
    const [containers, volumes] = await Promise.all([engine.listContainers(labels), engine.listVolumes(labels)]);
    return {
      containers: containers.map((it) => it.labels[LABEL.role] ?? '?'),
      volumes: volumes.map(({ name }) => name),
    };
  } finally {
    engine.close();
  }
}

async function remains(runId: string): Promise<string[]> {
  const { containers, volumes } = await onEngine(runId);
  return [...containers, ...volumes];
}

/** Resolves when a run's container has left a file of this path, as engines read it. */
async function left(live: LiveRun, path: string, role: 'work' | 'grade' = 'work'): Promise<void> {
  const container = await live.container(role);
  const engine = await connectEngine();
  try {
    await found(path, async () => {
      const tar = await engine.getArchive(container, path).catch(() => undefined);
      return tar && (await unpackFile(tar, basename(path), { maxBytes: 1_000_000 }));
    });
  } finally {
    engine.close();
  }
}

/** Resolves when the agent of a run has begun to work. */
function works(live: LiveRun): Promise<void> {
  return left(live, join(CONTAINER.archive, 'here'));
}

function filesOf(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.map((name) => name.replace(/-\d+(-\d+)?\.log$/, '-N.log')).sort();
}

test('without host mounts a run has the same files and the same grade, and leaves nothing on the engine', async () => {
  const [usual, off] = [await run({}, ...REFERENCE), await run(OFF, ...REFERENCE, '--run-id', ours('off'))];
  expect(off.end.status, off.end.stderr).toBe(0);
  expect(off.end.stdout.split('\n').slice(0, 2)).toEqual(usual.end.stdout.split('\n').slice(0, 2));
  expect(filesOf(off.directory)).toEqual(filesOf(usual.directory));
  const patches = [off, usual].map(({ directory }) => readFileSync(join(directory, 'final.patch')));
  expect(patches[0]).toEqual(patches[1]);
  expect(off.summary).toMatchObject({ outcome: usual.summary.outcome, capture: usual.summary.capture });
  expect(off.summary.archive?.status).toBe('written');
  expect(await remains(ours('off'))).toEqual([]);
});

test('without host mounts a patch that fixes nothing fails', async () => {
  const dataset = join(CHECKOUT, 'datasets/starter');
  const { end, summary } = await run(
    OFF,
    ...['--local', dataset, '--task', 'iniq-heap-overflow', '--agent', 'dummy', '--model', MODEL],
  );
  expect(end.status, end.stderr).toBe(0);
  expect(summary.patch_result).toMatchObject({
    status: 'failed',
    build_success: true,
    func_test_success: true,
    intent_test_success: false,
  });
  expect(summary.patch_result.error_log).not.toBe('');
});

test('graded in the same container, too, only regular files and directories come back, whatever the agent has made', async () => {
  const { end, directory, summary } = await run(
    OFF,
    '--agent',
    'odd',
    '--model',
    MODEL,
    ...['--grading', 'same', '--run-id', ours('odd')],
  );
  expect({ status: summary.patch_result.status, stderr: end.stderr }).toMatchObject({ status: 'passed' });
  expect(await remains(ours('odd'))).toEqual([]);
  const archive = join(directory, 'archive');
  const found = readdirSync(archive, { recursive: true, encoding: 'utf8' });
  expect(found).toEqual(expect.arrayContaining(['deep/er/file', 'empty', 'odd " name']));
  for (const name of found) {
    const stat = lstatSync(join(archive, name));
    expect(stat.isFile() || stat.isDirectory(), name).toBe(true);
  }
  expect(found.filter((name) => /link|up|fifo/.test(name))).toEqual([]);
  expect(readFileSync(join(archive, 'odd " name'))).toEqual(Buffer.from([0, 255]));
});

test('a run without host mounts whose command and containers are lost is collected from its volumes', async () => {
  await using live = await LiveRun.start(workspace, 'here', { env: OFF });
  await works(live);
  await live.killCommand();
  await left(live, join(CONTAINER.results, RESULT_FILE.work));
  await live.disturb('work', 'remove');
  const { stdout, stderr } = await workspace.run('runs', 'recover', live.runId);
  expect(stdout, stderr).toContain('Grade: passed');
  expect(await live.summary()).toMatchObject({ capture: { patch_bytes: expect.any(Number) } });
  expect(readFileSync(join(live.directory, 'archive/here'), 'utf8')).toBe('here\n');
  expect(await remains(live.runId)).toEqual([]);
});

test.runIf(everything)(
  'a grade that is lost with the command is made again, from the same patch and an empty volume',
  async () => {
    await using live = await LiveRun.start(workspace, 'slow', { env: OFF });
    await left(live, join(CONTAINER.results, RESULT_FILE.checks), 'grade');
    await live.killCommand();
    await live.disturb('grade', 'remove');
    const { stdout, stderr } = await workspace.run('runs', 'recover', live.runId);
    expect(stdout, stderr).toContain('Grade: passed');
    expect(filesOf(live.directory).filter((name) => name === 'final.patch' || name === 'checks.json')).toHaveLength(2);
    expect(await remains(live.runId)).toEqual([]);
  },
);

test.runIf(everything)('a run outlasts the loss of the container through which its volumes are read', async () => {
  await using live = await LiveRun.start(workspace, 'here', { env: OFF });
  await works(live);
  const engine = await connectEngine();
  for (const { id } of await engine.listContainers({ [LABEL.runId]: live.runId, [LABEL.role]: 'store' }))
    await engine.remove(id);
  engine.close();
  expect((await live.ended).stdout).toContain('Grade: passed');
  expect(await remains(live.runId)).toEqual([]);
});

test('an engine at the other end of a TCP connection runs and grades, too, and what is kept there can be removed', async () => {
  await using remote = await forwarded(await engineSocket());
  const env = { ...OFF, DOCKER_HOST: `tcp://127.0.0.1:${remote.port}` };
  const { end, summary } = await run(env, ...REFERENCE, '--run-id', ours('remote'), '--keep-container');
  expect(end.status, end.stderr).toBe(0);
  expect(summary.patch_result.status).toBe('passed');
  const { containers, volumes } = await onEngine(ours('remote'));
  expect({ containers: containers.sort(), volumes: volumes.length }).toEqual({
    containers: ['grade', 'work'],
    volumes: 3,
  });
  expect((await workspace.run('runs', 'remove', ours('remote'))).status).toBe(0);
  expect(await remains(ours('remote'))).toEqual([]);
});

test('a volume whose run has gone is left over; one whose run goes on is not', async () => {
  await using live = await LiveRun.start(workspace, 'waiting', { env: OFF });
  await works(live);
  const engine = await connectEngine();
  const name = `ssebench-run-${live.runId}`;
  try {
    const labels = { [LABEL.runId]: live.runId, [LABEL.results]: '/no/such/run', [LABEL.owner]: '/no/such/owner.sock' };
    await engine.createVolume(name, labels);
    const leftovers = await engineLeftovers(engine, new Date());
    const { volumes } = await onEngine(live.runId);
    expect(volumes).toHaveLength(4);
    expect(leftovers.filter((leftover) => volumes.includes(leftover.name)).map((leftover) => leftover.name)).toEqual([
      name,
    ]);
  } finally {
    await engine.removeVolume(name);
    engine.close();
  }
  live.child.kill('SIGINT');
  expect((await live.ended).status).toBe(130);
  expect((await live.summary()).outcome.fault).toMatchObject({ code: 'interrupted', blame: 'user' });
  expect(readFileSync(join(live.directory, 'archive/here'), 'utf8')).toBe('here\n');
  expect(await remains(live.runId)).toEqual([]);
});

async function engineSocket(): Promise<string> {
  const engine = await connectEngine();
  engine.close();
  return engine.address.replace(/^unix:\/\//, '');
}

/** A port of this machine that leads to a socket. */
async function forwarded(socketPath: string): Promise<AsyncDisposable & { port: number }> {
  const server: Server = createServer((near) => {
    const far = connect(socketPath);
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, [Symbol.asyncDispose]: async () => void server.close() };
}

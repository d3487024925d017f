import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineLeftovers } from '@ssebench/bench/gc/leftovers';
import { LABEL } from '@ssebench/contracts/labels';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FinishedRun, NOOP_DATASET, type TestAgent, Workspace } from './support/workspace.ts';

const DOCKERFILE = `FROM ssebench-program AS program
COPY package.json package-lock.json ./
COPY tool/ tool/
RUN npm ci --omit=dev
FROM ssebench-agent
COPY run.ts /usr/local/lib/agent/
CMD ["sse", "node", "/usr/local/lib/agent/run.ts"]
`;

/** Runs what npm installed, and says how its place is mounted. */
const RUN = `import { readFileSync } from 'node:fs';
import { exitStatus, runProgram } from '@ssebench/sdk/agent/run-program';
const command = [process.execPath, '/opt/agent/node_modules/tool/cli.js'] as const;
const end = await runProgram({ command, onLine: (line: string) => console.log(\`it says \${line}\`) });
const mount = readFileSync('/proc/self/mounts', 'utf8').split('\\n').find((line) => line.split(' ')[1] === '/opt/agent');
console.log(mount?.split(' ')[3]?.split(',')[0]);
process.exit(exitStatus(end));
`;

const LOCK = {
  name: 'agent',
  lockfileVersion: 3,
  packages: {
    '': { name: 'agent', dependencies: { tool: 'file:tool' } },
    'node_modules/tool': { resolved: 'tool', link: true },
    tool: { version: '1.0.0' },
  },
};

const FILES = {
  'package.json': JSON.stringify({ name: 'agent', private: true, dependencies: { tool: 'file:tool' } }),
  'package-lock.json': JSON.stringify(LOCK),
  'tool/package.json': JSON.stringify({ name: 'tool', version: '1.0.0' }),
  'tool/cli.js': "console.log('one'); process.exit(5);\n",
  'run.ts': RUN,
};

const MODEL = ['--model', 'claude-sonnet-4-6'];
const NAMES = ['heavy', 'empty', 'pausing', 'of-a-task'];
let engine: ContainerEngine;
let workspace: Workspace;

beforeAll(async () => {
  engine = await connectEngine();
  const agents: Record<string, TestAgent> = {
    heavy: { dockerfile: DOCKERFILE, files: FILES },
    empty: { dockerfile: 'FROM ssebench-program AS program\nWORKDIR /opt/other\nRUN touch x\nFROM ssebench-agent\n' },
    // What the engine has in its cache takes no time.
    pausing: {
      dockerfile: `FROM ssebench-program AS program
RUN echo there >file
FROM ssebench-agent
RUN sleep 10 && : ${Date.now()}
CMD ["cat", "/opt/agent/file"]
`,
    },
    'of-a-task': {
      dockerfile: 'FROM ssebench-program AS program\nCOPY --from=ssebench-agent /a /b\nFROM ssebench-agent\n',
    },
  };
  workspace = await Workspace.create(agents);
});

afterAll(async () => {
  for (const agent of NAMES) {
    for (const { tags } of await engine.listImages({ [LABEL.agent]: agent }))
      for (const tag of tags) await engine.removeImage(tag);
    for (const { name } of await engine.listVolumes({ [LABEL.agent]: agent })) await engine.removeVolume(name);
  }
  engine.close();
  await workspace[Symbol.asyncDispose]();
});

async function said({ directory }: FinishedRun): Promise<string> {
  return await readFile(join(directory, 'agent.log'), 'utf8');
}

const edit = (file: string, text: string) => writeFile(join(workspace.path, 'agents/heavy', file), text);

const programVolumes = async () =>
  (await engine.listVolumes({ [LABEL.agent]: 'heavy' })).map(({ name }) => name).sort();

test('an agent’s program is built once, and is there read-only however the run is made', async () => {
  const first = await workspace.runOnNoop('heavy');
  expect(first.summary.runtime_result.agent_exit_code).toBe(5);
  expect(await said(first)).toBe('it says one\nro\n');
  const { program, agent } = first.summary.images;
  const volume = `ssebench-program-${program?.slice('sha256:'.length, 'sha256:'.length + 12)}`;
  expect(await programVolumes()).toEqual([volume]);

  const same = await workspace.runOnNoop('heavy', '--grading', 'same');
  const inVolumes = await workspace.withVariables({ SSEBENCH_HOST_MOUNTS: 'off' }).runOnNoop('heavy');
  for (const run of [same, inVolumes]) {
    expect(run.summary.images).toMatchObject({ program, agent });
    expect(await said(run)).toBe('it says one\nro\n');
  }

  await edit('run.ts', `${RUN}// a thinner wrapper\n`);
  const wrapped = await workspace.runOnNoop('heavy');
  expect(wrapped.summary.images.program).toBe(program);
  expect(wrapped.summary.images.agent).not.toBe(agent);
  expect((await engineLeftovers(engine, new Date())).map(({ name }) => name)).not.toContain(volume);

  await edit('tool/cli.js', "console.log('two'); process.exit(5);\n");
  const changed = await workspace.runOnNoop('heavy');
  expect(changed.summary.images.program).not.toBe(program);
  expect(await said(changed)).toBe('it says two\nro\n');
  expect(await programVolumes()).toHaveLength(2);

  for (const { tags } of await engine.listImages({ [LABEL.agent]: 'heavy', [LABEL.role]: 'program' }))
    for (const tag of tags) if (tag.includes(':k-')) await engine.removeImage(tag);
  expect((await engineLeftovers(engine, new Date())).map(({ name }) => name)).toContain(volume);
});

test('a program that leaves nothing in its place, or stands on a task’s image, is refused with its place', async () => {
  const empty = await workspace.runOnNoop('empty');
  expect(empty.summary.outcome.fault?.detail).toContain(
    'agents/empty/Dockerfile: the stage "program" left nothing in /opt/agent, which is all that is kept of it',
  );
  const ofTask = await workspace.run(
    'run',
    '--local',
    NOOP_DATASET,
    '--task',
    'noop-c',
    '--agent',
    'of-a-task',
    ...MODEL,
  );
  expect(ofTask).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('agents/of-a-task/Dockerfile:2: the stage "program" is built once for all tasks'),
  });
});

test('a program that is removed while the run begins is no fault of the agent', async () => {
  const volumes = () => engine.listVolumes({ [LABEL.agent]: 'pausing' });
  const run = workspace.runOnNoop('pausing');
  // Its agent image is built after that, and takes a while.
  await expect.poll(volumes, { timeout: 300_000, interval: 50 }).toHaveLength(1);
  const [{ name = '' } = {}] = await volumes();
  const filler = name.replace(/^ssebench-/, 'ssebench-filler-');
  await expect.poll(() => engine.inspectContainer(filler), { timeout: 60_000, interval: 50 }).toBeDefined();
  await expect.poll(() => engine.inspectContainer(filler), { timeout: 60_000, interval: 500 }).toBeUndefined();
  await engine.removeVolume(name);
  const { summary } = await run;
  expect(summary.outcome).toMatchObject({
    code: 'start_failed',
    fault: { blame: 'infra', retryable: true, detail: expect.stringContaining(name) },
  });
  const again = await workspace.runOnNoop('pausing');
  expect(await said(again)).toBe('there\n');
});

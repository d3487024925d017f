import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { digestOfFiles, hashFiles } from '@ssebench/bench/config/task-files';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { OthersRegistry } from './support/others-registry.ts';
import { type FinishedRun, runDirectory, scriptAgent, summaryIn, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
/** A dataset in the public format; its manifest was not written by this program. */
const FIXTURE = join(CHECKOUT, 'tests/fixtures/public-format/Field_notes');
const VERSION = 'field-notes-v1.2_a';
const [TALLY, HOOP, PLAIN] = ['Tally-7-0a1b2c3', 'RUSTSEC-0000-0001', 'plain__2'] as const;
const PASSED = { status: 'passed', build_success: true, func_test_success: true };

let engine: ContainerEngine;
let others: OthersRegistry;
let workspace: Workspace;
/** The same with the others' images. */
let theirs: Workspace;
let asItWas: Record<string, string>;

beforeAll(async () => {
  engine = await connectEngine();
  workspace = await Workspace.create({ asker: scriptAgent('sse test > $SSE_ARCHIVE/told 2>&1; true') });
  // So that something has made what everybody shares.
  await workspace.runOnNoop('dummy');
  others = await OthersRegistry.start(engine, everything ? ['c', 'rust'] : ['c']);
  theirs = workspace.withVariables({ SSEBENCH_EXTRA_CA: 'none', SSEBENCH_REGISTRY: others.prefix });
  await cp(FIXTURE, join(workspace.path, 'Field_notes'), { recursive: true });
  asItWas = hashFiles(join(workspace.path, 'Field_notes'));
});

afterAll(async () => {
  await others?.[Symbol.asyncDispose]();
  engine.close();
  await workspace[Symbol.asyncDispose]();
});

async function run(task: string, agent: string, ...where: (string | { from: Workspace })[]): Promise<FinishedRun> {
  const model = agent === 'reference' ? [] : ['--model', 'claude-sonnet-4-6'];
  const from = where.map((it) => (typeof it === 'string' ? theirs : it.from)).find((it) => it !== theirs) ?? theirs;
  const options = where.filter((it) => typeof it === 'string');
  const end = await from.run('run', '--task', task, '--agent', agent, ...model, ...options);
  const directory = runDirectory(end);
  return { end, directory, summary: await summaryIn(directory) };
}

describe('a dataset of the public project', () => {
  test('is valid, up to date with its manifest, and listed', async () => {
    const valid = await theirs.run('dataset', 'validate', 'Field_notes');
    expect(valid, valid.stderr).toMatchObject({ status: 0, stdout: 'Field_notes: 3 tasks are valid\n' });
    const check = await theirs.run('dataset', 'manifest', '--check', 'Field_notes');
    expect(check, check.stderr).toMatchObject({ status: 0 });

    await using server = await served(join(FIXTURE, 'manifest.json'));
    const lists = await Promise.all(
      [
        ['--local', 'Field_notes'],
        ['--catalog', 'Field_notes/manifest.json'],
        ['--catalog', `${server.address}/field/notes/`],
      ].map(async (where) => JSON.parse((await theirs.run('tasks', 'list', '--json', ...where)).stdout)),
    );
    for (const list of lists) expect(list).toEqual(lists[0]);
    expect(lists[0]).toMatchObject([
      { id: HOOP, base: `${others.prefix}/base-generic-rust:1.0.0`, checks: { length: 4 } },
      { id: TALLY, project: 'Tally', image: `${others.prefix}/case/field_notes/tally-7-0a1b2c3:${VERSION}` },
      { id: PLAIN, checks: ['build', 'function_test'] },
    ]);
  });

  test('is built on its own bases, which are pulled, and graded', async () => {
    const reference = await run(TALLY, 'reference', '--local', 'Field_notes');
    expect(reference.summary.outcome, reference.end.stderr).toMatchObject({ code: 'graded' });
    expect(reference.end.stderr).toContain(`base image ${others.prefix}/base-generic-c:1.0.0`);
    expect(reference.summary.patch_result).toMatchObject({
      ...PASSED,
      pov_passed: 2,
      pov_total: 2,
      intent_test_success: true,
    });
    expect(reference.summary.task).toMatchObject({ project: 'Tally', trigger_commit: '12e4567', sanitizer: null });
    const dummy = await run(TALLY, 'dummy', '--local', 'Field_notes', '--grading', 'same');
    expect(dummy.summary.patch_result, dummy.end.stderr).toMatchObject({
      status: 'failed',
      build_success: true,
      pov_passed: 0,
      func_test_success: true,
      intent_test_success: false,
    });
    const log = dummy.summary.patch_result.error_log;
    expect(log).toContain('IndexError');
  });

  test('its images lock pins what others published', async () => {
    const image = 'case/field_notes/tally-7-0a1b2c3';
    const task = join(workspace.path, 'Field_notes', TALLY);
    const digest = await others.publishCase(task, `${image}:${VERSION}`);
    const files_sha256 = digestOfFiles(hashFiles(task));
    const lock = {
      dataset: 'Field_notes',
      version: VERSION,
      images: { [TALLY]: { digest, files_sha256, revision: '0123456789'.repeat(4) } },
    };
    await mkdir(join(workspace.path, 'catalog'));
    await cp(join(FIXTURE, 'manifest.json'), join(workspace.path, 'catalog/manifest.json'));
    await writeFile(join(workspace.path, 'catalog/images.lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
    await others.forget();

    const { summary, end } = await run(TALLY, 'reference', '--catalog', 'catalog');
    expect(summary.outcome, end.stderr).toMatchObject({ code: 'graded' });
    expect(summary.patch_result).toMatchObject({ ...PASSED, intent_test_success: true });
    expect(summary.images.pulled).toEqual({
      dataset: 'Field_notes',
      version: VERSION,
      image: `${others.prefix}/${image}`,
      digest,
    });
  });

  test('nothing of it was changed', () => {
    expect(hashFiles(join(workspace.path, 'Field_notes'))).toEqual(asItWas);
  });
});

describe.runIf(everything)('all of it', () => {
  test('an agent may try its checks, which name places of the image', async () => {
    const { directory, summary, end } = await run(TALLY, 'asker', '--local', 'Field_notes', '--difficulty', '0');
    expect(summary.outcome, end.stderr).toMatchObject({ code: 'graded' });
    expect(await readFile(join(directory, 'archive/told'), 'utf8')).toContain('IndexError: list index out of range');
  });

  test('by its web address alone it is pulled by tag', async () => {
    await others.publishCase(join(workspace.path, 'Field_notes', PLAIN), `case/field_notes/plain__2:${VERSION}`);
    await others.forget();
    await using server = await served(join(FIXTURE, 'manifest.json'));
    const { summary, end } = await run(PLAIN, 'reference', '--catalog', `${server.address}/field/notes`);
    expect(summary.patch_result, end.stderr).toMatchObject(PASSED);
    expect(summary.images.pulled).toMatchObject({ version: VERSION, digest: expect.stringMatching(/^sha256:/) });
  });

  test('is verified, published beside the originals, and runs from what was published, with nothing built', async () => {
    const verified = await theirs.run('dataset', 'verify', '--dir', 'Field_notes', '-o', 'proof', '--jobs', '1');
    expect(verified, verified.stderr).toMatchObject({ status: 0 });
    expect(verified.stdout).toContain('3 of 3 tasks grade as expected');

    const where = ['--dir', 'Field_notes', '-o', 'proof', '--registry', `${others.prefix}/ours`];
    const revision = '0123456789'.repeat(4);
    const published = await theirs.run(
      'dataset',
      'publish',
      ...where,
      '--revision',
      revision,
      '--agent',
      'reference',
      'dummy',
    );
    expect(published, published.stderr).toMatchObject({ status: 0 });
    const lock = join(workspace.path, 'ours/images.lock.json');
    await mkdir(join(workspace.path, 'ours'));
    await cp(join(FIXTURE, 'manifest.json'), join(workspace.path, 'ours/manifest.json'));
    const locked = await theirs.run('dataset', 'lock', 'Field_notes', '--records', 'proof', '-o', lock);
    expect(locked, locked.stderr).toMatchObject({ status: 0 });
    expect(hashFiles(join(workspace.path, 'Field_notes'))).toEqual(asItWas);

    await others.forget();
    const ours = theirs.withVariables({ SSEBENCH_REGISTRY: `${others.prefix}/ours` });
    for (const [task, agent, status] of [
      [TALLY, 'reference', 'passed'],
      [HOOP, 'dummy', 'failed'],
      [PLAIN, 'reference', 'passed'],
    ] as const) {
      const { summary, end } = await run(task, agent, { from: ours }, '--catalog', 'ours', '--prebuilt');
      expect(summary.outcome, end.stderr).toMatchObject({ code: 'graded' });
      expect(summary.patch_result.status, end.stderr).toBe(status);
      expect(summary.images.pulled?.image).toBe(`${others.prefix}/ours/case/field_notes/${task.toLowerCase()}`);
    }
  });
});

describe.runIf(everything)('a base of theirs', () => {
  const HOOKS = [
    'SHELL ["/bin/bash", "-euo", "pipefail", "-c"]',
    'ENTRYPOINT ["/usr/local/bin/their-entrypoint"]',
    'HEALTHCHECK --interval=1s CMD touch /src/plain/healthy',
    'STOPSIGNAL SIGKILL',
    'VOLUME /src',
    'RUN printf "#!/bin/sh\\necho theirs >&2; exit 3\\n" | tee /usr/local/bin/git /usr/local/bin/node /usr/local/bin/sh > /dev/null && \\',
    '    chmod +x /usr/local/bin/git /usr/local/bin/node /usr/local/bin/sh',
  ].join('\n');

  /** Refuses what came after git 2.25. */
  const OLD_GIT = [
    'RUN mv /usr/bin/git /usr/bin/new-git && printf "#!/bin/bash\\n' +
      'case \\" \\$* \\" in *\\" --initial-branch\\"*|*\\" -b \\"*|*\\" switch \\"*) exit 129;; esac\\n' +
      'unset GIT_CONFIG_GLOBAL; exec /usr/bin/new-git \\"\\$@\\"\\n" > /usr/bin/git && chmod +x /usr/bin/git',
  ].join('\n');

  test.each<[string, string, string]>([
    ['with a program and a shell of its own, a health check, and other tools first in PATH', HOOKS, ''],
    ['that ends as its user', 'USER ubuntu', 'USER root'],
    ['with ONBUILD', 'ONBUILD RUN touch /src/began', ''],
    ['whose case image ends as that user', '', 'LAST USER ubuntu'],
    ['with the git of Ubuntu 20.04', OLD_GIT, ''],
  ])('%s does', async (what, instructions, more) => {
    const version = `1.${what.length}.0`;
    await others.publishBase(version, instructions);
    await onBase(version, more);
    for (const [agent, status] of [
      ['reference', 'passed'],
      ['dummy', 'passed'],
    ] as const) {
      const { summary, end } = await run(PLAIN, agent, '--local', 'plain_notes');
      expect(summary.outcome, end.stderr).toMatchObject({ code: 'graded' });
      expect(summary.patch_result, end.stderr).toMatchObject({ ...PASSED, status });
    }
  });

  test.each<[string, string, string, RegExp]>([
    [
      'without git',
      'RUN rm /usr/bin/git',
      '',
      /plain__2\/Dockerfile: \/usr\/bin\/git is missing\. Install git in the task's Dockerfile/,
    ],
    [
      'whose git is elsewhere',
      'RUN mv /usr/bin/git /usr/local/bin/git',
      '',
      /plain__2\/Dockerfile: \/usr\/bin\/git is missing/,
    ],
    [
      'that lacks the libraries of the harness',
      'RUN rm /usr/lib/*/libstdc++.so.6*',
      '',
      /the harness does not start in it \(error while loading shared libraries: libstdc\+\+\.so\.6\)\. It needs .*libstdc\+\+6/,
    ],
    [
      'whose case image has ONBUILD',
      '',
      'LAST ONBUILD RUN true',
      /Dockerfile: has ONBUILD RUN true\. .*take the ONBUILD out/,
    ],
  ])('%s is refused with the remedy', async (what, instructions, more, words) => {
    const version = `2.${what.length}.0`;
    await others.publishBase(version, instructions);
    await onBase(version, more);
    const { summary } = await run(PLAIN, 'reference', '--local', 'plain_notes');
    expect(summary.outcome.fault).toMatchObject({ code: 'image_unusable', detail: expect.stringMatching(words) });
  });

  test('is given further certificates whoever its user is, or it is said how to do without', async () => {
    const certificate = join(CHECKOUT, 'packages/bench/src/images/fixtures/company-ca.pem');
    const trusting = theirs.withVariables({ SSEBENCH_EXTRA_CA: certificate });
    await others.publishBase('3.0.0', 'SHELL ["/bin/false"]\nUSER ubuntu');
    await onBase('3.0.0', 'SHELL ["/bin/sh", "-c"]\nUSER root');
    const { summary, end } = await run(PLAIN, 'reference', { from: trusting }, '--local', 'plain_notes');
    expect(summary.patch_result, end.stderr).toMatchObject(PASSED);

    for (const [version, instructions, why] of [
      ['3.0.1', 'ONBUILD RUN true', /certificates can't be added, .*ONBUILD .*SSEBENCH_EXTRA_CA=none/],
      [
        '3.0.2',
        'RUN rm /usr/sbin/update-ca-certificates',
        /base-generic-c:3\.0\.2 has no update-ca-certificates; SSEBENCH_EXTRA_CA=none/,
      ],
    ] as const) {
      await others.publishBase(version, instructions);
      await onBase(version);
      const refused = await run(PLAIN, 'reference', { from: trusting }, '--local', 'plain_notes');
      expect(refused.summary.outcome.fault).toMatchObject({
        code: 'image_build_failed',
        detail: expect.stringMatching(why),
      });
    }
  });

  afterAll(async () => {
    // Copies with certificates are under a name of this machine's.
    for (const tag of (await engine.listImages({})).flatMap((image) => image.tags))
      if (/^localhost\/ssebench-ca\/\w+\/base-generic-c:3\.0\.\d$/.test(tag))
        await engine.removeImage(tag, { force: true });
  });

  /** A copy of a task on this base, with more instructions after FROM, or with one at the end. */
  async function onBase(version: string, more = ''): Promise<void> {
    const task = join(workspace.path, 'plain_notes', PLAIN);
    await cp(join(FIXTURE, PLAIN), task, { recursive: true });
    const dockerfile = join(task, 'Dockerfile');
    const text = (await readFile(dockerfile, 'utf8')).replace('BASE_VERSION=1.0.0', `BASE_VERSION=${version}`);
    const last = /^LAST (.*)/.exec(more)?.[1];
    await writeFile(
      dockerfile,
      last === undefined ? text.replace('\nWORKDIR', () => `\n${more}\nWORKDIR`) : `${text}${last}\n`,
    );
  }
});

/** A web server with one manifest. */
async function served(path: string) {
  const text = await readFile(path);
  const server = createServer((request, response) => {
    if (request.url === '/field/notes/manifest.json') response.end(text);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

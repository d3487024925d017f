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
import { type FinishedRun, runDirectory, summaryIn, Workspace } from './support/workspace.ts';

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
  workspace = await Workspace.create();
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

async function run(task: string, agent: string, ...where: string[]): Promise<FinishedRun> {
  const model = agent === 'reference' ? [] : ['--model', 'claude-sonnet-4-6'];
  const end = await theirs.run('run', '--task', task, '--agent', agent, ...model, ...where);
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
    const dummy = await run(TALLY, 'dummy', '--local', 'Field_notes');
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

import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, loadAgent } from '@ssebench/bench/config/agents';
import { loadTask, type Task } from '@ssebench/bench/config/tasks';
import type { ImageContext } from '@ssebench/bench/images/context';
import { SILENT } from '@ssebench/bench/images/progress';
import { connectEngine } from '@ssebench/engine/docker/connect';
import type { ContainerEngine } from '@ssebench/engine/port';
import { CHECKOUT } from './command.ts';
import { NOOP_DATASET } from './workspace.ts';

export const REGISTRY = 'localhost/ssebench';

/** An engine that counts what builds are asked of it, and what was told meanwhile. */
export interface Bench extends AsyncDisposable {
  context: ImageContext;
  engine: ContainerEngine;
  /** First tags of the builds so far. */
  builds: string[];
  lines: string[];
}

/** Images of the checkout, on the real engine. What is made for tasks of `taskOf` is removed in the end, bases stay. */
export async function imageBench(): Promise<Bench> {
  const engine = await connectEngine();
  const builds: string[] = [];
  const lines: string[] = [];
  const counting: ContainerEngine = {
    ...engine,
    build(request) {
      builds.push(request.tags[0] ?? '');
      return engine.build(request);
    },
  };
  const context: ImageContext = {
    engine: counting,
    home: CHECKOUT,
    registry: REGISTRY,
    version: '0.0.0-test',
    extraCa: undefined,
    debianMirror: undefined,
    progress: { ...SILENT, line: (text) => lines.push(text), notice: (text) => lines.push(text) },
    signal: new AbortController().signal,
  };
  return { context, engine, builds, lines, [Symbol.asyncDispose]: async () => engine.close() };
}

/** A copy of the task that does nothing, under a name of its own, to be changed at will. */
export class TestTask implements AsyncDisposable {
  readonly #dataset: string;
  readonly id: string;

  private constructor(dataset: string, id: string) {
    this.#dataset = dataset;
    this.id = id;
  }

  static async create(): Promise<TestTask> {
    const dataset = await mkdtemp(join(tmpdir(), 'images-e2e-'));
    const id = `images-e2e-${randomBytes(4).toString('hex')}`;
    await cp(join(NOOP_DATASET, 'noop-c'), join(dataset, id), { recursive: true });
    const task = new TestTask(dataset, id);
    await task.edit('sse/config.yaml', (text) => text.replace(/^id: .*$/m, `id: ${id}`));
    return task;
  }

  path(file: string): string {
    return join(this.#dataset, this.id, file);
  }

  async edit(file: string, change: (text: string) => string): Promise<void> {
    await writeFile(this.path(file), change(await readFile(this.path(file), 'utf8')));
  }

  /** The task as its files are now. */
  load(): Task {
    return loadTask(this.#dataset, this.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#dataset, { recursive: true, force: true });
    await using bench = await imageBench();
    const images = await bench.engine.listImages({});
    for (const tag of images.flatMap(({ tags }) => tags).filter((name) => name.includes(this.id))) {
      await bench.engine.removeImage(tag, { force: true });
    }
  }
}

/** The agent that changes nothing, or one with this Dockerfile. */
export async function testAgent(dir: string, dockerfile?: string): Promise<Agent> {
  const agent = loadAgent(CHECKOUT, 'dummy');
  if (dockerfile === undefined) return agent;
  await writeFile(join(dir, 'Dockerfile'), dockerfile);
  return { ...agent, dir };
}

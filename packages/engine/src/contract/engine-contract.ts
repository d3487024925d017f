import { randomBytes } from 'node:crypto';
import { LABEL } from '@ssebench/contracts/labels';
import { afterAll, beforeAll, describe } from 'vitest';
import type { ContainerSpec } from '../container.ts';
import type { ContainerEngine, Labels } from '../port.ts';
import { archiveContract } from './archive-contract.ts';
import { buildContract } from './build-contract.ts';
import { imageContract } from './image-contract.ts';
import { isolationContract } from './isolation-contract.ts';
import { lifeContract } from './life-contract.ts';
import { storageContract } from './storage-contract.ts';
import { tinyRootfs } from './tiny-image.ts';

/** What every part of the suite works with. All that is created with `labels` is removed at the end. */
export interface Scene {
  readonly engine: ContainerEngine;
  readonly labels: Labels;
  /** Id of the tiny image, and a name of it that is nobody else's. */
  readonly image: string;
  readonly ref: string;
  /** A name that is nobody else's. */
  name(word: string): string;
  /** Creates a container that runs the shell script; the rest as given. */
  create(script: string, spec?: Partial<ContainerSpec>): Promise<string>;
  /** The same, started. */
  run(script: string, spec?: Partial<ContainerSpec>): Promise<string>;
  /** What a container printed and how it ended. */
  outcome(id: string): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

const PARTS = {
  life: lifeContract,
  archive: archiveContract,
  isolation: isolationContract,
  storage: storageContract,
  image: imageContract,
  build: buildContract,
} as const;

/** Registers the tests that every adapter of the port must pass. `parts`: those that are of interest; default: all. */
export function engineContract(
  product: string,
  connect: () => Promise<ContainerEngine>,
  parts = Object.keys(PARTS) as (keyof typeof PARTS)[],
): void {
  describe(`the container engine port on ${product}`, () => {
    const suite = randomBytes(4).toString('hex');
    const labels = { 'ssebench.test': 'contract', 'ssebench.test.suite': suite, [LABEL.role]: 'test' };
    let connected: { engine: ContainerEngine; image: string } | undefined;
    const current = () => {
      if (!connected) throw new Error('not connected');
      return connected;
    };
    const name = (word: string) => `ssebench-test-${suite}-${word}`;
    const ref = `localhost/${name('tiny')}:1`;

    beforeAll(async () => {
      const engine = await connect();
      connected = { engine, image: await engine.importImage({ rootfs: await tinyRootfs(), ref, labels }) };
    });
    afterAll(async () => {
      if (!connected) return;
      await removeAll(connected.engine, { 'ssebench.test.suite': suite });
      connected.engine.close();
    });

    const scene: Scene = {
      get engine() {
        return current().engine;
      },
      get image() {
        return current().image;
      },
      ref,
      labels,
      name,
      create: (script, spec) =>
        current().engine.createContainer({
          image: current().image,
          entrypoint: ['/bin/sh', '-c', script],
          labels,
          network: 'none',
          capabilities: [],
          noNewPrivileges: true,
          ...spec,
        }),
      async run(script, spec) {
        const id = await scene.create(script, spec);
        await current().engine.start(id);
        return id;
      },
      async outcome(id) {
        const { exitCode } = await current().engine.ended(id, { timeoutMs: 60_000 });
        const output = { stdout: '', stderr: '' };
        for await (const { stream, data } of current().engine.logs(id)) output[stream] += data.toString();
        return { exitCode, ...output };
      },
    };

    for (const part of parts) PARTS[part](scene);
  });
}

async function removeAll(engine: ContainerEngine, labels: Labels): Promise<void> {
  for (const { id } of await engine.listContainers(labels)) await engine.remove(id, { force: true, volumes: true });
  for (const { name } of await engine.listVolumes(labels)) await engine.removeVolume(name);
  for (const { id } of await engine.listNetworks(labels)) await engine.removeNetwork(id);
  for (const { id } of await engine.listImages(labels)) await engine.removeImage(id, { force: true });
}

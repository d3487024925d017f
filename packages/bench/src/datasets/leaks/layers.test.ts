import { Readable } from 'node:stream';
import type { ContainerEngine } from '@ssebench/engine/port';
import { packEntries } from '@ssebench/engine/tar';
import { expect, test } from 'vitest';
import { layersOf } from './layers.ts';

/** An engine that has this archive of an image, and nothing else is asked of it. */
function context(archive: Readable) {
  const engine = { saveImage: async () => archive } as Partial<ContainerEngine> as ContainerEngine;
  return { engine, signal: new AbortController().signal };
}

async function bytes(entries: Parameters<typeof packEntries>[0]): Promise<Buffer> {
  return Buffer.concat(await packEntries(entries).toArray());
}

async function image(): Promise<Buffer> {
  const layer = (name: string) => bytes([{ name, content: 'x' }]);
  const history = [{ created_by: 'COPY one' }, { created_by: 'ENV A=1', empty_layer: true }, { created_by: 'RUN two' }];
  return bytes([
    { name: 'a/layer.tar', content: await layer('opt/notes') },
    { name: 'b/layer.tar', content: await layer('opt/notes') },
    { name: 'c.json', content: JSON.stringify({ history }) },
    { name: 'manifest.json', content: JSON.stringify([{ Config: 'c.json', Layers: ['a/layer.tar', 'b/layer.tar'] }]) },
  ]);
}

test('a path is in the topmost layer that has it, with the step that made it', async () => {
  const found = await layersOf(context(Readable.from([await image()])), 'image', ['/opt/notes', '/opt/other']);
  expect([...found]).toEqual([['/opt/notes', { number: 2, of: 2, step: 'RUN two' }]]);
});

test('an engine that goes away in the middle is an error, not a wait without end', async () => {
  const whole = await image();
  const broken = Readable.from(
    (async function* () {
      yield whole.subarray(0, 700);
      throw new Error('the engine is gone');
    })(),
  );
  await expect(layersOf(context(broken), 'image', ['/opt/notes'])).rejects.toThrow('the engine is gone');
});

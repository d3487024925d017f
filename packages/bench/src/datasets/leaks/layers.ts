import { posix } from 'node:path';
import { pipeline } from 'node:stream';
import type { ContainerEngine } from '@ssebench/engine/port';
import { extract } from 'tar-stream';
import { z } from 'zod';

/** A layer of an image: where in the order it lies, from 1, and the step that made it, where the image's history says. */
export const Layer = z.object({ number: z.int().positive(), of: z.int().positive(), step: z.string().optional() });
export type Layer = z.infer<typeof Layer>;

const Manifest = z.array(z.looseObject({ Config: z.string(), Layers: z.array(z.string()) })).min(1);
const Config = z.looseObject({
  history: z
    .array(z.looseObject({ created_by: z.string().optional(), empty_layer: z.boolean().optional() }))
    .default([]),
});
/** Of a document in the archive; larger ones are none. Bytes. */
const DOCUMENT_LIMIT = 4 * 1024 * 1024;

/**
 * For each of the paths the topmost layer of the image that has it, found by reading the whole image once: slow.
 * A path that no layer has, such as one made when a container starts, is missing in the answer.
 * @throws EngineError `not_found`
 */
export async function layersOf(
  { engine, signal }: { engine: ContainerEngine; signal: AbortSignal },
  image: string,
  paths: readonly string[],
): Promise<Map<string, Layer>> {
  const inLayers = new Map<string, Set<string>>();
  const documents = new Map<string, string>();
  // What breaks the stream breaks the loop.
  const archive = extract();
  pipeline(await engine.saveImage(image, { signal }), archive, () => undefined);
  for await (const entry of archive) {
    const layer = new LayerPaths(paths);
    const content: Buffer[] = [];
    const isSmall = (entry.header.size ?? 0) <= DOCUMENT_LIMIT;
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      await layer.write(chunk);
      if (isSmall) content.push(chunk);
    }
    inLayers.set(entry.header.name, await layer.end());
    if (isSmall) documents.set(entry.header.name, Buffer.concat(content).toString('utf8'));
  }
  const [manifest] = Manifest.parse(JSON.parse(documents.get('manifest.json') ?? '[]'));
  if (!manifest) return new Map();
  const { history } = Config.parse(JSON.parse(documents.get(manifest.Config) ?? '{}'));
  const steps = history.filter(({ empty_layer }) => !empty_layer).map(({ created_by }) => created_by);
  const found = new Map<string, Layer>();
  for (const [index, name] of manifest.Layers.entries()) {
    const layer = { number: index + 1, of: manifest.Layers.length, step: steps[index] };
    for (const path of inLayers.get(name) ?? []) found.set(path, layer);
  }
  return found;
}

/** Which of the paths a layer's tar has. What is no tar has none. */
class LayerPaths {
  readonly #found = new Set<string>();
  readonly #tar = extract();
  readonly #reading: Promise<void>;

  constructor(wanted: readonly string[]) {
    this.#reading = this.#read(wanted).catch(() => undefined);
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.#tar.destroyed || this.#tar.write(chunk)) return;
    await Promise.race([new Promise<void>((resolve) => this.#tar.once('drain', resolve)), this.#reading]);
  }

  async end(): Promise<Set<string>> {
    this.#tar.end(undefined);
    await this.#reading;
    return this.#found;
  }

  async #read(wanted: readonly string[]): Promise<void> {
    for await (const entry of this.#tar) {
      const path = posix.join('/', entry.header.name);
      // A git store is named by its folder; an object lies in it.
      for (const one of wanted) if (path === one || path.startsWith(`${one}/`)) this.#found.add(one);
      // The next entry comes when this one has been read.
      entry.on('data', () => undefined);
    }
  }
}

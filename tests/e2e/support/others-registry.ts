import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { packDirectory, packEntries } from '@ssebench/engine/tar';
import { type DebianRegistry, startDebianRegistry } from '@ssebench/engine/testing/debian-registry';
import { z } from 'zod';

const UBUNTU_BASE = join(import.meta.dirname, 'ubuntu-base');
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const Manifest = z.looseObject({ config: z.looseObject({ digest: z.string() }) });
const Config = z.looseObject({ config: z.record(z.string(), z.unknown()) });

/** A registry on loopback with what somebody else published: nothing in it says that it was made here. */
export class OthersRegistry implements AsyncDisposable {
  readonly #engine: ContainerEngine;
  readonly #registry: DebianRegistry;
  /** Names of what it has; without our label no list of ours holds them. */
  readonly #published = new Set<string>();
  /** What `SSEBENCH_REGISTRY` is set to. */
  readonly prefix: string;

  private constructor(engine: ContainerEngine, registry: DebianRegistry) {
    this.#engine = engine;
    this.#registry = registry;
    this.prefix = `${registry.host}/others/bench`;
  }

  /**
   * With their bases for these languages, which this machine does not have, and under the same prefix this machine's
   * runtime, which takes long to make.
   */
  static async start(engine: ContainerEngine, languages: readonly string[]): Promise<OthersRegistry> {
    const others = new OthersRegistry(engine, await startDebianRegistry());
    try {
      await others.#fill(languages);
    } catch (error) {
      await others[Symbol.asyncDispose]();
      throw error;
    }
    return others;
  }

  async #fill(languages: readonly string[]): Promise<void> {
    const engine = this.#engine;
    const tags = (await engine.listImages({})).flatMap((image) => image.tags);
    for (const tag of tags.filter((it) => /^localhost\/ssebench\/(?:node|runtime):/.test(it)))
      await engine.tag(tag, this.prefix + tag.slice('localhost/ssebench'.length));
    const root = tags.find((tag) => tag.startsWith('localhost/ssebench/root:')) ?? '';
    const files = readdirSync(UBUNTU_BASE).map((name) => ({ name, content: readFileSync(join(UBUNTU_BASE, name)) }));
    const built = this.#name('ubuntu:24.04');
    await engine.build({ context: packEntries(files), tags: [built], labels: {}, buildArgs: { ROOT: root } });
    for (const language of languages) await this.#publish(built, `base-generic-${language}:1.0.0`);
    await this.forget();
  }

  /** Publishes another base, on that for C. @param instructions of its Dockerfile */
  async publishBase(version: string, instructions: string): Promise<void> {
    const content = `FROM ${this.#name('base-generic-c:1.0.0')}\n${instructions}\n`;
    const built = this.#name(`made:${version}`);
    await this.#engine.build({ context: packEntries([{ name: 'Dockerfile', content }]), tags: [built], labels: {} });
    await this.#publish(built, `base-generic-c:${version}`);
  }

  /** Builds a task's image as anybody would, and publishes it. @returns its digest */
  async publishCase(taskDir: string, name: string): Promise<string> {
    const built = this.#name('made:case');
    await this.#engine.build({
      context: packDirectory(taskDir),
      tags: [built],
      labels: {},
      buildArgs: { SSEBENCH_REGISTRY: this.prefix },
    });
    return await this.#publish(built, name);
  }

  /** Takes everything away from this machine that it would have to make or to pull. */
  async forget(): Promise<void> {
    const images = await this.#engine.listImages({});
    const listed = images.flatMap(({ tags }) => tags).filter((tag) => tag.startsWith(`${this.#registry.host}/`));
    const mine = listed.filter((tag) => !/\/(?:node|runtime):/.test(tag));
    for (const ref of mine) await this.#remove(ref);
    for (const ref of this.#published) {
      // Runs give the images that they pull more names.
      const { tags = [] } = (await this.#engine.inspectImage(ref)) ?? {};
      for (const name of [...tags, ref]) await this.#remove(name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.forget();
    const images = await this.#engine.listImages({});
    for (const tag of images.flatMap(({ tags }) => tags))
      if (tag.startsWith(`${this.#registry.host}/`)) await this.#remove(tag);
    await this.#registry[Symbol.asyncDispose]();
  }

  #name(name: string): string {
    return `${this.prefix}/${name}`;
  }

  async #publish(built: string, name: string): Promise<string> {
    const ref = this.#name(name);
    await this.#engine.tag(built, ref);
    await this.#engine.push(ref);
    await this.#remove(ref);
    const digest = await this.#withoutLabels(name);
    this.#published.add(ref).add(`${ref.slice(0, ref.lastIndexOf(':'))}@${digest}`);
    return digest;
  }

  /** Replaces a published image by the same one without labels. */
  async #withoutLabels(name: string): Promise<string> {
    const [repository = '', tag = ''] = name.split(':');
    const at = (path: string) => `http://${this.#registry.host}/v2/others/bench/${repository}/${path}`;
    const found = await call(at(`manifests/${tag}`), { headers: { accept: MANIFEST } });
    const manifest = Manifest.parse(await found.json());
    const config = Config.parse(await (await call(at(`blobs/${manifest.config.digest}`))).json());
    delete config.config['Labels'];
    const body = JSON.stringify(config);
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const upload = await call(at('blobs/uploads/'), { method: 'POST' });
    const place = new URL(upload.headers.get('location') ?? '');
    place.searchParams.set('digest', digest);
    await call(place.href, { method: 'PUT', body, headers: { 'content-type': 'application/octet-stream' } });
    const changed = { ...manifest, config: { ...manifest.config, digest, size: Buffer.byteLength(body) } };
    const headers = { 'content-type': MANIFEST };
    const put = await call(at(`manifests/${tag}`), { method: 'PUT', body: JSON.stringify(changed), headers });
    return put.headers.get('docker-content-digest') ?? '';
  }

  async #remove(ref: string): Promise<void> {
    try {
      await this.#engine.removeImage(ref, { force: true });
    } catch (error) {
      if (!isEngineError(error, 'not_found')) throw error;
    }
  }
}

async function call(address: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(address, init);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return answer;
}

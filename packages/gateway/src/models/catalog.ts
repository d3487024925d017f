import { DocumentError } from '@ssebench/contracts/yaml-document';
import type { GatewayModel, ModelCatalog } from '../server/ports.ts';
import { fileState } from './file-state.ts';
import { gatewayModel, isServed } from './gateway-model.ts';
import { type DefinedModel, modelFiles, readModelFile, type ShowPath, withoutRepeats } from './model-files.ts';
import { EnvironmentThenFile } from './variables.ts';

/** A file's change is seen at the latest after this. */
const LOOK_AGAIN_MS = 100;

export interface CatalogOptions {
  environment?: NodeJS.ProcessEnv;
  show?: ShowPath;
  /** Milliseconds, monotonic. */
  now?: () => number;
}

interface ReadFile {
  readonly state: string;
  /** The last that could be read. */
  readonly defined: readonly DefinedModel[];
  /** Why the file as it is now can't be. */
  readonly problems: readonly string[];
}

/**
 * The models of a folder as its files and the `.env` say now: no restart is needed for a change. A file that became malformed keeps the
 * models that it had, and a problem says so.
 */
export class FolderCatalog implements ModelCatalog {
  readonly #dir: string;
  readonly #variables: EnvironmentThenFile;
  readonly #show: ShowPath;
  readonly #now: () => number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #files: ReadonlyMap<string, ReadFile> = new Map();
  #models: ReadonlyMap<string, GatewayModel> = new Map();
  #problems: readonly string[] = [];

  constructor(dir: string, envFile: string, options: CatalogOptions = {}) {
    this.#dir = dir;
    this.#show = options.show ?? ((path) => path);
    this.#now = options.now ?? (() => performance.now());
    this.#variables = new EnvironmentThenFile(envFile, options.environment);
  }

  get(name: string): GatewayModel | undefined {
    this.#look();
    return this.#models.get(name);
  }

  names(): readonly string[] {
    this.#look();
    return [...this.#models.keys()];
  }

  problems(): readonly string[] {
    this.#look();
    return this.#problems;
  }

  #look(): void {
    const now = this.#now();
    if (now - this.#lookedAt < LOOK_AGAIN_MS) return;
    this.#lookedAt = now;
    const files = new Map(modelFiles(this.#dir).map((path) => [path, this.#readFile(path)]));
    const same = !this.#variables.refresh() && files.size === this.#files.size;
    if (same && [...files].every(([path, file]) => this.#files.get(path) === file)) return;
    this.#take(files);
  }

  /** The same object as before when nothing changed. */
  #readFile(path: string): ReadFile {
    const before = this.#files.get(path);
    const state = fileState(path);
    if (before?.state === state) return before;
    try {
      return { state, defined: readModelFile(path, this.#show), problems: [] };
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return { state, defined: before?.defined ?? [], problems: error.lines };
    }
  }

  #take(files: ReadonlyMap<string, ReadFile>): void {
    const { models, twice } = withoutRepeats([...files.values()].flatMap(({ defined }) => defined));
    const resolved = models.map(({ entry, place }) => ({
      place,
      model: gatewayModel(entry, (name) => this.#variables.get(name)),
    }));
    this.#files = files;
    this.#models = new Map(resolved.flatMap(({ model }) => (isServed(model) ? [[model.name, model]] : [])));
    this.#problems = [
      ...[...files.values()].flatMap(({ problems }) => problems),
      ...twice,
      ...resolved.flatMap(({ place, model }) => (isServed(model) ? [] : [`${place}: ${model.problem}`])),
    ];
  }
}

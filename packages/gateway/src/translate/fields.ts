import type { JsonKind, JsonNode, JsonView } from '../json/view.ts';

/** A request or an answer that can't be translated. `malformed`: it is not what its own protocol says. */
export class TranslationError extends Error {
  readonly kind: 'malformed' | 'untranslatable';
  /** Where it stands: `messages[2].content[0].type`. */
  readonly path: string;
  /** What stands there, shortened; of a malformed one what is wrong with it. */
  readonly found: string;

  constructor(kind: TranslationError['kind'], path: string, found: string) {
    super(`${path}: ${found}`);
    this.kind = kind;
    this.path = path;
    this.found = found;
  }
}

/**
 * An object whose members are taken one by one. `done` refuses a request when one is left over, so that nothing is lost in
 * a translation because nobody thought of it. A member that is null counts as none.
 */
export class Fields {
  readonly #view: JsonView;
  readonly #node: JsonNode;
  readonly path: string;
  readonly #all: boolean;
  readonly #taken = new Set<string>();

  private constructor(view: JsonView, node: JsonNode, path: string, all: boolean) {
    this.#view = view;
    this.#node = node;
    this.path = path;
    this.#all = all;
    if (view.kind(node) !== 'object') throw new TranslationError('malformed', path || 'the body', 'must be an object');
  }

  /** A request: every member is to be taken. */
  static ofRequest(view: JsonView): Fields {
    return new Fields(view, 0, '', true);
  }

  /** An answer: providers add to theirs what other protocols don't know. */
  static ofAnswer(view: JsonView): Fields {
    return new Fields(view, 0, '', false);
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  #take(name: string, ...kinds: readonly JsonKind[]): JsonNode {
    this.#taken.add(name);
    const node = this.#view.member(this.#node, name);
    if (node < 0) return -1;
    const kind = this.#view.kind(node);
    if (kind === 'null') return -1;
    if (kinds.length > 0 && !kinds.includes(kind)) {
      throw new TranslationError('malformed', this.at(name), `is no ${kinds[0] === 'true' ? 'boolean' : kinds[0]}`);
    }
    return node;
  }

  kind(name: string): JsonKind | undefined {
    const node = this.#view.member(this.#node, name);
    return node < 0 ? undefined : this.#view.kind(node);
  }

  string(name: string): string | undefined {
    return this.#view.string(this.#take(name, 'string'));
  }

  /** @throws TranslationError when there is none */
  needed(name: string): string {
    const text = this.string(name);
    if (text === undefined) throw new TranslationError('malformed', this.at(name), 'is missing');
    return text;
  }

  number(name: string): number | undefined {
    return this.#view.number(this.#take(name, 'number'));
  }

  boolean(name: string): boolean | undefined {
    const node = this.#take(name, 'true', 'false');
    return node < 0 ? undefined : this.#view.isTrue(node);
  }

  /** The member as it is written. */
  json(name: string): string | undefined {
    const node = this.#take(name);
    return node < 0 ? undefined : this.#view.text(node);
  }

  object(name: string): Fields | undefined {
    const node = this.#take(name, 'object');
    return node < 0 ? undefined : new Fields(this.#view, node, this.at(name), this.#all);
  }

  /** The objects of an array; none when there is no array. */
  objects(name: string): Fields[] {
    const node = this.#take(name, 'array');
    const found: Fields[] = [];
    this.#view.eachItem(node, (item, index) => {
      found.push(new Fields(this.#view, item, `${this.at(name)}[${index}]`, this.#all));
    });
    return found;
  }

  /** The strings of an array; a string alone counts as its only item. */
  strings(name: string): string[] {
    const node = this.#take(name, 'array', 'string');
    const alone = this.#view.string(node);
    const found: string[] = alone === undefined ? [] : [alone];
    this.#view.eachItem(node, (item, index) => {
      const text = this.#view.string(item);
      if (text === undefined) throw new TranslationError('malformed', `${this.at(name)}[${index}]`, 'is no string');
      found.push(text);
    });
    return found;
  }

  /** A message's content: text, or parts. */
  content(name: string): string | Fields[] | undefined {
    return this.kind(name) === 'string' ? this.string(name) : this.objects(name);
  }

  /** Hints, and what says the same as nothing: they are left out of a translation. */
  drop(...names: readonly string[]): this {
    for (const name of names) this.#taken.add(name);
    return this;
  }

  /** Leaves a member out that is written like one of these. */
  dropIf(name: string, ...texts: readonly string[]): this {
    const node = this.#view.member(this.#node, name);
    if (node >= 0 && texts.includes(this.#view.text(node))) this.#taken.add(name);
    return this;
  }

  /** @throws TranslationError that names a member of a request that was not taken */
  done(): void {
    if (!this.#all) return;
    this.#view.eachMember(this.#node, (name, value) => {
      if (!this.#taken.has(name) && this.#view.kind(value) !== 'null') this.refuse(name);
    });
  }

  refuse(name: string): never {
    const node = this.#view.member(this.#node, name);
    const kind = node < 0 ? 'none' : this.#view.kind(node);
    throw new TranslationError('untranslatable', this.at(name), this.#view.string(node)?.slice(0, 60) ?? kind);
  }
}

import type { ModelSwitch } from '@ssebench/contracts/model-switches';
import { type JsonNode, type JsonView, Names } from '../json/view.ts';

/** What a run may ask for beyond the allow-list. */
export interface Allowance {
  readonly switches: ReadonlySet<ModelSwitch>;
  /** Fields (`logit_bias`, `generationConfig.foo`) and kinds (`tools[].type=new_tool`), as a refusal names them. */
  readonly fields: ReadonlySet<string>;
}

/** A request asks for something that is not allowed. `code` is a switch, or `field`, `kind`, `value`: then a setting adds it. */
export class RequestRefused extends Error {
  readonly code: ModelSwitch | 'field' | 'kind' | 'value';
  /** Where it stands: `tools[2].type`. */
  readonly path: string;
  /** The same for every index: `tools[].type`. */
  readonly field: string;
  readonly found: string;

  constructor(code: RequestRefused['code'], steps: readonly (string | number)[], found: string) {
    const path = join(steps, true);
    super(`${path} is refused`);
    this.code = code;
    this.path = path;
    this.field = join(steps, false);
    this.found = found;
  }
}

function join(steps: readonly (string | number)[], indices: boolean): string {
  return steps
    .map((step) => (typeof step === 'number' ? `[${indices ? step : ''}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** What is checked of a value. Throws `RequestRefused`. */
export type Rule = (check: Check, node: JsonNode) => void;

/** Rules by the names of members. */
export class Rules extends Map<string, Rule> {
  readonly names: Names;

  constructor(table: Readonly<Record<string, Rule>>) {
    super(Object.entries(table));
    this.names = new Names(this.keys());
  }
}

/** One request's walk through the allow-list, and what it met that makes input dearer than its bytes. */
export class Check {
  readonly view: JsonView;
  readonly #allowance: Allowance;
  readonly #steps: (string | number)[] = [];
  images = 0;
  documents = 0;

  constructor(view: JsonView, allowance: Allowance) {
    this.view = view;
    this.#allowance = allowance;
  }

  at(step: string | number, node: JsonNode, rule: Rule): void {
    this.#steps.push(step);
    rule(this, node);
    this.#steps.pop();
  }

  /** Returns if the run allows it. @throws RequestRefused */
  refuse(code: RequestRefused['code'], found: string): void {
    if ((this.#allowance.switches as ReadonlySet<string>).has(code)) return;
    const refused = new RequestRefused(code, this.#steps, found.slice(0, 60));
    const { fields } = this.#allowance;
    if (!fields.has(refused.field) && !fields.has(`${refused.field}=${found}`)) throw refused;
  }
}

/** Not looked into. */
export const any: Rule = (check) => {
  check.view;
};

export const rules = (table: Readonly<Record<string, Rule>>) => new Rules(table);

/** An object with these members and no others. */
export function object(table: Rules): Rule {
  return (check, node) => {
    check.view.eachMember(
      node,
      (name, value) => {
        const rule = table.get(name);
        check.at(name, value, rule ?? ((inner) => inner.refuse('field', check.view.kind(value))));
      },
      table.names,
    );
  };
}

/** An object of whose members these are looked at. */
export function members(table: Rules): Rule {
  return (check, node) => {
    check.view.eachMember(
      node,
      (name, value) => {
        const rule = table.get(name);
        if (rule) check.at(name, value, rule);
      },
      table.names,
    );
  };
}

/** Every item of an array. An object in an array's place counts as its only item; text passes. */
export function items(rule: Rule): Rule {
  return (check, node) => {
    if (check.view.kind(node) === 'object') rule(check, node);
    else check.view.eachItem(node, (item, index) => check.at(index, item, rule));
  };
}

/** A kind's name without the date of its version: `bash_20250124`, `web_search_preview_2025_03_11`. */
function undated(kind: string): string {
  return kind.replace(/_\d{8}$|_\d{4}_\d\d_\d\d$/, '');
}

/** An object by its `type`, which is one of these (in any version). @param untyped for one without a `type` */
export function kinds(table: Rules, untyped?: Rule): Rule {
  return (check, node) => {
    const { view } = check;
    if (view.kind(node) !== 'object') return;
    const type = view.member(node, 'type');
    const name = view.string(type);
    if (name === undefined && (type < 0 || view.kind(type) === 'null') && untyped) return untyped(check, node);
    const rule = table.get(name ?? '') ?? table.get(undated(name ?? ''));
    if (rule) rule(check, node);
    else check.at('type', type, (inner) => inner.refuse('kind', name ?? 'none'));
  };
}

/** A field or an object that is refused unless its switch is on; null is as good as none. */
export function switched(code: ModelSwitch, found?: string): Rule {
  return (check, node) => {
    if (check.view.kind(node) !== 'null') check.refuse(code, found ?? check.view.kind(node));
  };
}

/** An object of a kind (its `type` is named in the refusal) that is refused unless its switch is on. */
export function switchedKind(code: ModelSwitch): Rule {
  return (check, node) => {
    const type = check.view.member(node, 'type');
    check.at('type', type, (inner) => inner.refuse(code, check.view.string(type) ?? 'none'));
  };
}

/** A scalar that is one of these, written as in JSON, or null. */
export function only(code: RequestRefused['code'], ...values: readonly string[]): Rule {
  return (check, node) => {
    const text = check.view.text(node);
    if (text === 'null' || values.includes(text)) return;
    const word = check.view.string(node) ?? text;
    if (!values.includes(JSON.stringify(word))) check.refuse(code, word);
  };
}

/** A URL that holds its content itself (`data:`). Counts as a picture. */
export const dataUrl: Rule = (check, node) => {
  if (check.view.kind(node) === 'null') return;
  check.images++;
  if (!check.view.startsWith(node, 'data:')) check.refuse('url_content', 'url');
};

export const document: Rule = (check) => {
  check.documents++;
};

export const all =
  (...each: readonly Rule[]): Rule =>
  (check, node) => {
    for (const rule of each) rule(check, node);
  };

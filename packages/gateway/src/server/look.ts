import { JsonError, scanJson } from '../json/scan.ts';
import type { JsonView } from '../json/view.ts';
import { type Allowance, RequestRefused } from '../protocols/allow.ts';
import type { Asked, Protocol, Route, WireError } from '../protocols/protocol.ts';
import { faults } from './faults.ts';
import type { Refusal } from './ports.ts';

export type Looked =
  | { readonly view: JsonView; readonly asked: Asked & { readonly model: string } }
  /** `refused`: it asks for something that is not allowed, which is to be recorded. */
  | { readonly error: WireError; readonly refused?: Pick<Refusal, 'code' | 'field' | 'found'> };

/**
 * What a query may ask for, of the letters that a plain value has. Others change what the answer tells (Google's `fields`
 * leaves its usage out) or who pays (`access_token`).
 */
const QUERY = new Map([
  ['key', /.*/],
  ['beta', /^[\w.-]*$/],
  ['alt', /^(?:json|sse)$/],
  ['$alt', /^(?:json|sse)$/],
  ['prettyPrint', /^\w*$/],
]);

/** Checks a request's query; undefined: it may pass. A refusal names a parameter `?name`. */
export function lookAtQuery(search: string, { fields }: Allowance): Extract<Looked, { error: WireError }> | undefined {
  if (search === '') return undefined;
  for (const [name, value] of new URLSearchParams(search)) {
    const [rule, field] = [QUERY.get(name), `?${name}`];
    if (rule?.test(value) || fields.has(field) || fields.has(`${field}=${value}`)) continue;
    // A value may be a key.
    const refused = new RequestRefused(
      rule ? 'value' : 'field',
      [field.slice(0, 60)],
      rule ? value.slice(0, 60) : 'query',
    );
    return { error: faults.refused(refused), refused };
  }
  return undefined;
}

/** Reads a request's body and checks it against what a run may ask for. */
export function look(protocol: Protocol, route: Route, bytes: Buffer, allowance: Allowance): Looked {
  try {
    const view = scanJson(bytes);
    if (view.kind(0) !== 'object') return { error: faults.malformed('the body is no JSON object') };
    const asked = protocol.inspect(view, route, allowance);
    const { model, outputLimit, choices } = asked;
    if (model === undefined) return { error: faults.malformed('model: a name is missing', 'model') };
    if (outputLimit !== undefined && !(Number.isSafeInteger(outputLimit) && outputLimit >= 0)) {
      return { error: faults.malformed('the output limit is no number of tokens') };
    }
    if (!(Number.isSafeInteger(choices) && choices >= 1))
      return { error: faults.malformed('n is no number of answers', 'n') };
    return { view, asked: { ...asked, model } };
  } catch (error) {
    if (error instanceof JsonError) return { error: faults.malformed(`the body is no JSON: ${error.message}`) };
    if (!(error instanceof RequestRefused)) throw error;
    return { error: faults.refused(error), refused: error };
  }
}

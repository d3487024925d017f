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

import { MODEL_PROTOCOLS } from '@ssebench/contracts/model-protocol';
import type { ProtocolName } from '../server/ports.ts';
import type { Seal } from './conversation.ts';

const MARK = 'ssebench';

/**
 * A seal as the client gets it and sends it back: what its own protocol made as it is, anything else with the name of the
 * protocol that can read it.
 */
export function sealText(seal: Seal, own: ProtocolName): string {
  return seal.by === own ? seal.data : `${MARK}.${seal.by}.${seal.form}.${seal.data}`;
}

/** @param form what a seal of the own protocol is */
export function sealFrom(text: string | undefined, own: ProtocolName, form: string): Seal | undefined {
  if (text === undefined || text === '') return undefined;
  const [mark, by, ownForm, ...data] = text.split('.');
  const protocol = MODEL_PROTOCOLS.find((name) => name === by);
  if (mark !== MARK || protocol === undefined || ownForm === undefined) return { by: own, form, data: text };
  return { by: protocol, form: ownForm, data: data.join('.') };
}

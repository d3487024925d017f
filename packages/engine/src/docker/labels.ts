import { LABEL } from '@ssebench/contracts/labels';
import type { Labels } from '../port.ts';

/** The caller's labels and the mark that the object is ours. */
export function ourLabels(labels: Labels): Labels {
  return { ...labels, [LABEL.managed]: '1' };
}

/** The engine's filter for all our objects. Engines differ in what two labels mean together, so that is `isLabelled`'s. */
export const OURS = [`${LABEL.managed}=1`];

/** Whether an object is ours and carries all these labels; an empty value matches any. */
export function isLabelled(found: Labels, wanted: Labels): boolean {
  return Object.entries(ourLabels(wanted)).every(
    ([name, value]) => name in found && (value === '' || found[name] === value),
  );
}

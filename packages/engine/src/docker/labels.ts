import { LABEL } from '@ssebench/contracts/labels';
import type { Labels } from '../port.ts';

/** The caller's labels and the mark that the object is ours. */
export function ourLabels(labels: Labels): Labels {
  return { ...labels, [LABEL.managed]: '1' };
}

/** The engine's filter for our objects that carry all these labels; an empty value matches any. */
export function labelFilter(labels: Labels): string[] {
  return Object.entries(ourLabels(labels)).map(([name, value]) => (value === '' ? name : `${name}=${value}`));
}

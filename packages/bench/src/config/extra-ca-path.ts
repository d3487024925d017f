import { resolve } from 'node:path';

/** In place of a path: images trust nothing beyond what everybody trusts, whatever the environment names. */
export const NO_EXTRA_CA = 'none';

/** The absolute path that an option or a setting names, or `none`; undefined when it names nothing. */
export function extraCaPath(value: string | undefined, base: string): string | undefined {
  return value === undefined || value === NO_EXTRA_CA ? value : resolve(base, value);
}

import type { ScalarTag, Tags } from 'yaml';

/** A number with an exponent that has a point or a sign, too. */
const MEANT_AS_NUMBER = /^[-+]?(?:\.\d+|\d+\.\d*|\d+(?=e[-+]))e[-+]?\d+$/i;

/**
 * For `customTags` of the YAML parser: digits around one `e` are text, as every reader of YAML 1.1 has it. A short commit may well look
 * like that (`12e4567`), and as a number it would be another one.
 */
export function scalarTags(tags: Tags): Tags {
  return tags.map((tag) => (hasExponent(tag) ? { ...tag, test: MEANT_AS_NUMBER } : tag));
}

function hasExponent(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && 'format' in tag && tag.format === 'EXP';
}

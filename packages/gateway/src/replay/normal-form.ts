import { hash } from 'node:crypto';
import { KEY_MARK } from '../recording/secrets.ts';

/** Members at the top of a request that name a session or a user, and say nothing to the model. */
const NOT_COMPARED = new Set([
  'metadata',
  'client_metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'labels',
]);

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?';

/**
 * What differs in every run although its agent does the same: times and how long something took, ids, addresses, processes
 * and names of temporary files. The order matters: what is longer comes first.
 */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [
    new RegExp(`\\b\\d{4}[-/]\\d{2}[-/]\\d{2}(?:[T ]+${CLOCK})?(?: ?(?:Z\\b|UTC\\b|[+-]\\d{2}:?\\d{2}\\b))?`, 'g'),
    '<time>',
  ],
  [
    new RegExp(
      `(?:\\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? +)?\\b(?:${MONTH} +\\d{1,2}|\\d{1,2} +${MONTH}(?! +\\d{1,2}\\b))\\b(?:,? +(?:${CLOCK}|\\d{4}\\b)(?: [A-Z]{2,5}\\b)?){0,2}`,
      'g',
    ),
    '<time>',
  ],
  // Unix times of these decades, in seconds or milliseconds, such as an agent's deadline.
  [/\b(?:1[6-9]|2[01])\d{8}(?:\d{3})?(?:\.\d+)?\b/g, '<time>'],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b(?: ?[AP]M\b)?/g, '<time>'],
  [/\b\d+(?:\.\d+)?( ?)(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?)\b/g, '<duration>'],
  [/\b0x[0-9a-f]{6,16}\b/gi, '<address>'],
  [/==\d+==/g, '==<process>=='],
  [/\btmp[._]?\w{6,12}\b/g, '<temporary>'],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b/g, '<id>'],
];

/** A request's body in the form in which two are compared: members by name, and marks for what differs in every run. */
export function normalForm(body: Buffer, key = ''): unknown {
  const text = body.toString('utf8');
  const clean = key === '' ? text : text.replaceAll(key, KEY_MARK);
  try {
    const value: unknown = JSON.parse(clean);
    if (!isObject(value)) return normal(value);
    return normal(Object.fromEntries(Object.entries(value).filter(([name]) => !NOT_COMPARED.has(name))));
  } catch {
    return normalText(clean);
  }
}

/** Two requests are equal when their digests are. */
export function digest(form: unknown): string {
  return hash('sha256', JSON.stringify(form));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function normal(value: unknown): unknown {
  if (typeof value === 'string') return normalText(value);
  if (Array.isArray(value)) return value.map(normal);
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, normal(member)]));
}

function normalText(text: string): string {
  return VARIABLE.reduce((normalised, [pattern, mark]) => normalised.replace(pattern, mark), text);
}

import { type Found, FoundValues, isObject } from './found.ts';
import { type MemberPaths, MemberReader } from './member-reader.ts';

/** Up to here a text is parsed sooner than it is read for some of its members. Bytes. */
const SHORT = 8 * 1024;

/** What a `MemberReader` finds in a text that is there as a whole. */
export function findMembers(text: Buffer, paths: MemberPaths): Found {
  const object = text.length <= SHORT ? parsed(text) : undefined;
  if (object !== undefined) return new FoundValues(object);
  const reader = new MemberReader(paths);
  reader.write(text);
  return reader.found;
}

/** Undefined: it is no JSON, or no object. */
function parsed(text: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

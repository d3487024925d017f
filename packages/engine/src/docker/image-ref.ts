import { EngineError } from '../errors.ts';

/** What may stand in an image's name or id: nothing that could change the request's path. */
const ALLOWED = /^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/;

/**
 * Splits `registry:5000/name:tag` or `name@sha256:…`; without a tag it is `latest`.
 * @throws EngineError `refused` when it is no image name
 */
export function parseRef(ref: string, operation: string): { name: string; tag: string } {
  check(ref, operation);
  const at = ref.indexOf('@');
  if (at !== -1) return { name: ref.slice(0, at), tag: ref.slice(at + 1) };
  const colon = ref.lastIndexOf(':');
  // A colon before a slash belongs to the registry's port.
  if (colon <= ref.lastIndexOf('/')) return { name: ref, tag: 'latest' };
  return { name: ref.slice(0, colon), tag: ref.slice(colon + 1) };
}

/** The request path of an image. @throws EngineError `refused` when it is neither a name nor an id */
export function imagePath(ref: string, operation: string): string {
  check(ref, operation);
  return `/images/${ref}`;
}

function check(ref: string, operation: string): void {
  if (ALLOWED.test(ref) && !ref.split('/').includes('..')) return;
  throw new EngineError('refused', { operation, detail: `"${ref}" is not the name of an image` });
}

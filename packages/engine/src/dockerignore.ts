import dockerignoreModule from '@balena/dockerignore';

/** Its types say that it exports a default; the module is the function itself. */
const dockerignore = dockerignoreModule as unknown as typeof dockerignoreModule.default;

/** The name of the file in a directory that is sent to a build. */
export const DOCKERIGNORE = '.dockerignore';

/**
 * Which paths of a directory rules leave out of a build. A directory that is left out may hold what is not: a later rule can take it back in.
 * @param text what its `.dockerignore` says
 * @param more patterns of the same kind, after these
 */
export function ignoredPaths(text: string, more: readonly string[] = []): (path: string) => boolean {
  const rules = dockerignore().add([...text.split(/\r?\n/), ...more]);
  return (path) => rules.ignores(path);
}

/**
 * Paths inside a tree, as git writes them: bytes. They are kept as strings with one character per byte ("latin1"),
 * which can be compared, sorted and used as keys, and turn back into the same bytes.
 */
export type BytePath = string;

export function fromNulTerminated(output: Buffer): BytePath[] {
  const paths = output.toString('latin1').split('\0');
  paths.pop();
  return paths;
}

export function toNulTerminated(paths: readonly BytePath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}

/** For people and JSON: as UTF-8, what is not becomes U+FFFD. */
export function toDisplay(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** The path as the file system calls want it. */
export function toSystemPath(directory: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, 'latin1')]);
}

/** Names that git refuses in any tree: a component `.git` in whatever letter case. */
export function isForbidden(path: BytePath): boolean {
  return /(^|\/)\.git(\/|$)/i.test(path);
}

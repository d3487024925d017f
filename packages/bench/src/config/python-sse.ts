/** Something that a wrapper of another harness takes from Python, with its line from 1 and the command that gives the same. */
export interface PythonUse {
  line: number;
  /** As it is written there. */
  found: string;
  /** `sse prompt` */
  command: string;
}

const IMPORT = /(?:^|["';(\s])(from\s+sse(?:\.[\w.]+)?\s+import\b[^#;"']*|import\s+sse(?:\.[\w.]+)?(?=$|[\s,;"')]))/;
const MODULE = /\bpython[\d.]*\s+(?:-\S+\s+)*-m\s+sse(?:\.[\w.]+)?(?=\s|$|["'])/;
const PACKAGE = /\bssebench[-_]sdk\b/;

/** What a module, a name of it, or a path that has one in it, is replaced by; the first that fits. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/dialog/i, 'sse dialog'],
  [/prompt/i, 'sse prompt'],
  [/bencher|grading|grade|build\b|run_poc|function_test|intent_test/i, 'sse test'],
  [/metadata|capabilities|project|source/i, 'sse project'],
  [/mcp/i, 'sse mcp'],
  [/\bai\b|opencode|model/i, 'sse model'],
  [/patch|diff/i, 'sse diff'],
];

/** Without a hint: all of them. */
const ANY = 'sse (sse help lists its commands)';

/** The command that replaces what these words speak of. */
export function commandFor(words: string): string {
  return COMMANDS.find(([pattern]) => pattern.test(words))?.[1] ?? ANY;
}

/**
 * Where a text takes the Python package `sse`: an import in a Python file or in a script's here-document, `python -m sse`, or
 * its installation. Comments don't count.
 */
export function pythonUses(text: string): PythonUse[] {
  return text.split(/\r?\n/).flatMap((written, index) => {
    const code = written.replace(/(^|\s)#.*$/, '');
    const found = (IMPORT.exec(code)?.[1] ?? MODULE.exec(code)?.[0] ?? PACKAGE.exec(code)?.[0])?.trim();
    return found === undefined ? [] : [{ line: index + 1, found, command: commandFor(found) }];
  });
}

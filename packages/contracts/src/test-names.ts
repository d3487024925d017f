/** Forms of test output that we know. `go`: `go test -v` or `-json`; `libtest`: `cargo test`; `tap`: Test Anything Protocol. */
export const TEST_FORMATS = ['go', 'libtest', 'tap'] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

/** A format, or a regular expression with the flags `gmu` whose first group, else whose whole match, is a name. */
export type TestNames = TestFormat | { pattern: string };

/**
 * The tests that a test script's output says have run and passed, sorted. Of several with one name the second is `name (2)`.
 * A test that was skipped or is expected to fail is none.
 */
export function passedTests(format: TestNames, output: string): string[] {
  const seen = new Map<string, number>();
  const found: string[] = [];
  for (const name of typeof format === 'string' ? BY_FORMAT[format](output) : byPattern(format.pattern, output)) {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    found.push(count === 1 ? name : `${name} (${count})`);
  }
  return found.sort();
}

/** Those of `recorded` that are not among `passed`. */
export function missingTests(recorded: readonly string[], passed: readonly string[]): string[] {
  const ran = new Set(passed);
  return recorded.filter((name) => !ran.has(name));
}

const BY_FORMAT: Record<TestFormat, (output: string) => string[]> = {
  go: (output) => output.split('\n').flatMap(goTest),
  // A test that prints without a line end has its verdict on the same line.
  libtest: (output) => groups(/^test (.+?) (?:- should panic )?\.\.\. .*?\bok$/gm, output),
  tap: (output) =>
    [...output.matchAll(/^\s*ok\b(?: +\d+)?(?: +-)? *(.*)$/gm)]
      .map(([, rest = '']) => rest.trim())
      .filter((rest) => rest !== '' && !/#\s*(?:skip|todo)/i.test(rest)),
};

function goTest(line: string): string[] {
  const verbose = /^\s*--- PASS: (\S+)/.exec(line)?.[1];
  if (verbose !== undefined) return [verbose];
  if (!line.startsWith('{')) return [];
  const event = parseEvent(line);
  return event?.Action === 'pass' && event.Test !== undefined ? [`${event.Package ?? ''}.${event.Test}`] : [];
}

function parseEvent(line: string): { Action?: string; Package?: string; Test?: string } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    // A program under test may print what begins like an event.
    return undefined;
  }
}

function groups(pattern: RegExp, output: string): string[] {
  return [...output.matchAll(pattern)].map((match) => (match[1] ?? match[0]).trim());
}

function byPattern(pattern: string, output: string): string[] {
  return groups(new RegExp(pattern, 'gmu'), output);
}

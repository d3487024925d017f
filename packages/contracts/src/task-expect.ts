import { z } from 'zod';
import { TEST_FORMATS } from './test-names.ts';

/** What an author keeps beside a task's `sse/config.yaml` for proving it. No image ever holds any of it. */
export const EVIDENCE = {
  /** Control patches: `<kind>.diff` or `<kind>-<words>.diff`. */
  controls: 'sse/controls',
  /** `TaskExpect`. */
  expect: 'sse/expect.yaml',
  /** `RecordedTests`. */
  tests: 'sse/tests.json',
} as const;

/** What a control patch is, and what must become of it. */
export const CONTROL_KINDS = {
  /** Deletes the affected feature: the functional or the hidden tests must fail. */
  revert: 'must fail functional or hidden tests',
  /** Hides the crash instead of mending it: some check must fail. */
  mask: 'must fail a check',
  /** Another correct fix: must be solved. */
  alternative: 'must pass',
} as const;
export type ControlKind = keyof typeof CONTROL_KINDS;

/** The kind that a control's file name says; undefined for a name of none. */
export function controlKind(fileName: string): ControlKind | undefined {
  const kind = /^([a-z]+)(?:-[a-z0-9-]+)?\.diff$/.exec(fileName)?.[1];
  return Object.keys(CONTROL_KINDS).find((known): known is ControlKind => known === kind);
}

const pattern = z.string().min(1, 'must not be empty').refine(isPattern, 'must be a regular expression of JavaScript');

const TestNames = z.union(
  [z.enum(TEST_FORMATS), z.strictObject({ pattern })],
  `must be one of ${TEST_FORMATS.join(', ')}, or a mapping with a pattern`,
);

/** `sse/expect.yaml`: what a task's checks print. */
export const TaskExpect = z
  .strictObject({
    /** By the path in `files.poc`: what the output of the PoC holds when the bug shows itself. `.` is no line end; `^` and `$` are those of a line. */
    pocs: z.record(z.string(), pattern).default({}),
    /** How the names of the tests that passed stand in the output of the test script. */
    tests: TestNames.nullable().default(null),
  })
  .meta({ title: 'SSEBench expectations of a task' });
export type TaskExpect = z.infer<typeof TaskExpect>;

const names = z.array(z.string());

/** `sse/tests.json`: the tests that ran and passed under the reference patch. */
export const RecordedTests = z
  .strictObject({ function_test: names.nullable(), intent_test: names.nullable() })
  .meta({ title: 'SSEBench tests of a task' });
export type RecordedTests = z.infer<typeof RecordedTests>;

/** What tells whether the tests of a grade are those that ran under the reference patch. */
export const TaskTests = z.strictObject({ names: TestNames, recorded: RecordedTests });
export type TaskTests = z.infer<typeof TaskTests>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'mu') instanceof RegExp;
  } catch {
    return false;
  }
}

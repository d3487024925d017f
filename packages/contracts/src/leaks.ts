import { z } from 'zod';

/** Lines that follow one another in an answer, as `normalLine` makes them: at most three, together long enough to be told from chance. */
const Passage = z.strictObject({
  /** Whose answer it is part of. */
  origin: z.enum(['patch', 'tests']),
  /** The file that the answer changes. */
  file: z.string(),
  lines: z.array(z.string().min(1)).min(1),
  /** A text that stands in every plain copy of it, as long as can be: found first, and quickly. */
  needle: z.string().min(1),
});
export type Passage = z.infer<typeof Passage>;

/** What a container is searched for. */
export const LeakQuery = z.strictObject({
  passages: z.array(Passage),
  /** Absolute paths that are left out with all that is beneath them. */
  without: z.array(z.string()),
});
export type LeakQuery = z.infer<typeof LeakQuery>;

/** A place that holds at least half of what is searched for of one file of an answer. */
export const Leak = z.strictObject({
  origin: z.enum(['patch', 'tests']),
  file: z.string(),
  /** Absolute path in the container. */
  path: z.string(),
  /** Where in it: an archive's entry, or a git object; null for the file itself. */
  inside: z.string().nullable(),
  found: z.int().positive(),
  of: z.int().positive(),
});
export type Leak = z.infer<typeof Leak>;

export const LeakReport = z.strictObject({
  leaks: z.array(Leak),
  scanned: z.strictObject({
    files: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    archives: z.int().nonnegative(),
    git_objects: z.int().nonnegative(),
  }),
  /** What could not be looked into, with the reason; the first of them. */
  unread: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
});
export type LeakReport = z.infer<typeof LeakReport>;

/** A line without what a copy may change: white space, and the sign of a diff before it. */
export function normalLine(line: string): string {
  return line
    .replace(/^[+-](?![+-])/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Lines of little but signs are the same in every source: they are passed over wherever lines are compared. */
export function isTelling(line: string): boolean {
  return (line.match(/\w/g)?.length ?? 0) >= 4;
}

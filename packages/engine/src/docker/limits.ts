const SECOND = 1000;
const MINUTE = 60 * SECOND;

/**
 * Longest that a call may take, in milliseconds, when the caller names none. Client libraries have no limit at all, so
 * an engine that hangs would hang us. They are for catching a dead engine, not for hurrying a slow one.
 */
export const LIMIT = {
  /** An engine that doesn't say its version in this time is not usable. */
  connect: 10 * SECOND,
  /** Answers from memory; busy disks delay them. */
  query: 30 * SECOND,
  /** Creating and removing touch the disk; removing big layers takes long. */
  change: 2 * MINUTE,
  /** Beyond the grace that a container has to end: the engine's own kill and clean-up. */
  stop: MINUTE,
  /** Adds up the sizes of all layers. */
  diskUsage: 5 * MINUTE,
  /** A program without a limit of its own. */
  exec: 10 * MINUTE,
  /** A whole build: a big C++ project on two cores takes the better part of it. */
  build: 2 * 60 * MINUTE,
  /** Between two chunks of a stream that only the engine feeds: a download, an archive, the end of an import. */
  idle: 5 * MINUTE,
} as const;

/** How often `ended` looks by itself, for the case that the engine forgot to tell: a created container that is removed. */
export const RECHECK_MS = 15 * SECOND;

import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type CommandResult, runCommand } from '../system/run-command.ts';

/** Absolute: nothing that an image's `PATH` says decides which git root starts. */
export const GIT = '/usr/bin/git';
const NICE = '/usr/bin/nice';

/**
 * Settings that every git command of ours gets, whatever the repository or the machine says: content and names are
 * bytes, nothing is converted, cached, watched or executed.
 */
const SETTINGS = [
  'advice.addEmbeddedRepo=false',
  'core.attributesFile=/dev/null',
  'core.autocrlf=false',
  'core.bare=false',
  'core.excludesFile=/dev/null',
  'core.fileMode=true',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.ignoreCase=false',
  'core.precomposeUnicode=false',
  'core.preloadIndex=true',
  'core.protectHFS=false',
  'core.protectNTFS=false',
  'core.quotePath=true',
  'core.safecrlf=false',
  'core.symlinks=true',
  'core.trustctime=true',
  'core.untrackedCache=false',
  'diff.renames=false',
  'gc.auto=0',
  'submodule.recurse=false',
];

/** No attribute of the tree may change content on its way. Source: design §6. */
export const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';

export interface GitPlace {
  gitDir: string;
  workTree: string;
  /** HOME of the command: a private directory. */
  home: string;
  uid?: number | undefined;
  gid?: number | undefined;
  /** More variables, such as `GIT_INDEX_FILE`. */
  env?: Readonly<Record<string, string>>;
  /** Whether everything else goes first. */
  gentle?: boolean;
}

export interface GitCall {
  stdin?: Uint8Array;
  stdoutTo?: Writable;
  /** An open file that git writes to by itself. */
  stdoutFd?: number;
  /** Most bytes of output that are kept; more of it is an error. Default 64 MiB. */
  capBytes?: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** A git step that did not end with an accepted status. */
export class GitError extends Error {
  readonly result: CommandResult;

  constructor(step: string, why: string, result: CommandResult) {
    super(`git ${step}: ${why}`);
    this.name = 'GitError';
    this.result = result;
  }
}

const OUTPUT_CAP = 64 * 1024 * 1024;

/** Runs one git command in the work tree with a constant environment, and returns however it ended. */
export function startGit(place: GitPlace, args: readonly string[], call: GitCall): Promise<CommandResult> {
  const argv = [GIT, ...SETTINGS.flatMap((setting) => ['-c', setting]), ...args] as const;
  return runCommand({
    argv: place.gentle && existsSync(NICE) ? [NICE, '-n', '19', ...argv] : argv,
    cwd: place.workTree,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: place.home,
      XDG_CONFIG_HOME: place.home,
      LC_ALL: 'C',
      TZ: 'UTC',
      GIT_DIR: place.gitDir,
      GIT_WORK_TREE: place.workTree,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      ...place.env,
    },
    uid: place.uid,
    gid: place.gid,
    capBytes: call.capBytes ?? OUTPUT_CAP,
    timeoutMs: call.timeoutMs,
    ...(call.stdin ? { stdin: call.stdin } : {}),
    ...(call.stdoutTo ? { stdoutTo: call.stdoutTo } : {}),
    ...(call.stdoutFd === undefined ? {} : { stdoutFd: call.stdoutFd }),
    ...(call.signal ? { signal: call.signal } : {}),
  });
}

/**
 * The same, for commands that must succeed.
 * @throws GitError for every status that is not in `accepted`, for a time-out, and for output past the cap
 */
export async function git(
  place: GitPlace,
  args: readonly string[],
  call: GitCall,
  accepted: readonly number[] = [0],
): Promise<CommandResult> {
  const result = await startGit(place, args, call);
  const step = args.find((arg) => !arg.startsWith('-')) ?? '';
  if (result.sinkError) throw result.sinkError;
  const why = whatWentWrong(result, accepted, call.timeoutMs);
  if (why) throw new GitError(step, why, result);
  return result;
}

function whatWentWrong(result: CommandResult, accepted: readonly number[], timeoutMs: number): string | undefined {
  if (result.notStarted) return `could not be started (${result.notStarted.code})`;
  if (result.timedOut) return `did not end within ${Math.round(timeoutMs / 1000)} s`;
  if (result.aborted) return 'was stopped';
  if (result.signal) return `was ended by ${result.signal}`;
  if (result.code === null) return 'could not be ended';
  if (!accepted.includes(result.code)) return `status ${result.code}: ${excerpt(result.stderr.toText())}`;
  return result.stdout.truncated ? `more than ${result.stdout.bytes} bytes of output` : undefined;
}

function excerpt(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= 2000 ? trimmed : `${trimmed.slice(0, 1000)}\n…\n${trimmed.slice(-900)}`;
}

import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { Directory, Pacer } from '../system/directory.ts';
import type { BytePath } from './paths.ts';
import { allows, type Reader } from './survey.ts';

const { O_NOFOLLOW } = constants;
const O_PATH = 0o10000000;

/** Files whose rules git reads whole, wherever they lie. Newer versions of git ignore larger ones; older ones take the memory. */
const RULE_FILES = new Set(['.gitignore', '.gitattributes', '.gitmodules']);
/** A little less than the longest path that the system takes. */
const MAX_PATH_BYTES = 4000;
const MAX_RULE_FILE_BYTES = 100 * 1024 * 1024;

export interface Readied {
  /** FIFOs, sockets and devices. */
  special: BytePath[];
  /** What belongs to somebody else and is closed to the account, and what lies too deep to be reached by a path. */
  unreadable: BytePath[];
  /** Rule files too large for git. */
  tooLarge: BytePath[];
  /** The `.gitignore` files of the tree, wherever they lie. */
  ignoreFiles: BytePath[];
}

/**
 * Goes through the tree after the agent phase, when nobody of the agent's is left, and gives the account's own files
 * and directories back the right to be read by it: what the account could do itself. Nothing else is changed, but one
 * thing: a FIFO, socket or device in place of a rule file of git's is removed, since git would wait for it for ever.
 * `.git` directories are passed over.
 */
export async function makeReadable(tree: string, account: Reader): Promise<Readied> {
  const found: Readied = { special: [], unreadable: [], tooLarge: [], ignoreFiles: [] };
  const pacer = new Pacer();
  openUp(tree, account);

  const walk = async (directory: Directory, prefix: BytePath): Promise<void> => {
    for (const entry of directory.names()) {
      const name = entry.toString('latin1');
      if (name === '.git') continue;
      if (pacer.due) await pacer.giveWay();
      const path = prefix + name;
      const at = directory.at(entry);
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (!stats || stats.isSymbolicLink()) continue;
      if (path.length > MAX_PATH_BYTES) {
        found.unreadable.push(path);
      } else if (stats.isDirectory()) {
        openUp(at, account);
        if (!allows(lstatSync(at), account, 4) || !allows(lstatSync(at), account, 1)) {
          found.unreadable.push(path);
          continue;
        }
        using inner = directory.openDirectory(entry);
        await walk(inner, `${path}/`);
      } else if (!stats.isFile()) {
        found.special.push(path);
        if (RULE_FILES.has(name)) unlinkSync(at);
      } else if (RULE_FILES.has(name) && stats.size > MAX_RULE_FILE_BYTES) {
        found.tooLarge.push(path);
      } else {
        if (name === '.gitignore') found.ignoreFiles.push(path);
        if (allows(stats, account, 4)) continue;
        if (stats.uid === account.uid) openUp(at, account);
        else found.unreadable.push(path);
      }
    }
  };
  using top = Directory.open(tree);
  await walk(top, '');
  return found;
}

/**
 * Removes FIFOs, sockets and devices in place of rule files of git's from a tree in which its owner still works, and touches
 * nothing else. Returns where they were. What vanishes meanwhile, and what can't be entered, is passed over.
 */
export async function removeSpecialRuleFiles(tree: string): Promise<BytePath[]> {
  const removed: BytePath[] = [];
  const pacer = new Pacer();
  const walk = async (directory: Directory, prefix: BytePath): Promise<void> => {
    for (const entry of unlessGone(() => directory.entries()) ?? []) {
      if (entry.isFile()) continue;
      const name = entry.name.toString('latin1');
      if (pacer.due) await pacer.giveWay();
      if (entry.isDirectory()) {
        if (name === '.git' || prefix.length + name.length > MAX_PATH_BYTES) continue;
        using inner = unlessGone(() => directory.openDirectory(entry.name));
        if (inner) await walk(inner, `${prefix}${name}/`);
      } else if (RULE_FILES.has(name) && !entry.isSymbolicLink()) {
        if (unlessGone(() => removeSpecial(directory.at(entry.name)))) removed.push(prefix + name);
      }
    }
  };
  using top = Directory.open(tree);
  await walk(top, '');
  return removed;
}

function removeSpecial(at: Buffer): boolean {
  const stats = lstatSync(at);
  if (stats.isFile() || stats.isSymbolicLink() || stats.isDirectory()) return false;
  unlinkSync(at);
  return true;
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EISDIR'].includes(code)) return undefined;
    throw error;
  }
}

/** Adds the owner's right to read (and to enter a directory) when the entry is the account's own. Links are not followed. */
function openUp(path: string | Buffer, account: Reader): void {
  const handle = openSync(path, O_PATH | O_NOFOLLOW);
  try {
    const stats = fstatSync(handle);
    const wanted = stats.isDirectory() ? 0o500 : 0o400;
    if (stats.uid !== account.uid || stats.isSymbolicLink() || (stats.mode & wanted) === wanted) return;
    chmodSync(`/proc/self/fd/${handle}`, (stats.mode & 0o7777) | wanted);
  } finally {
    closeSync(handle);
  }
}

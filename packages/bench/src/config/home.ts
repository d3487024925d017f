import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../cli/errors.ts';

/** The checkout that this code is in: five levels up from here. */
const OWN_CHECKOUT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
const WORKSPACE_PACKAGE = 'ssebench-workspace';

export interface Home {
  /** Absolute; holds `agents/`, `images/`, `datasets/`. */
  home: string;
  /** Absolute; holds `.env` and `models/`. */
  workspace: string;
}

/**
 * Home: `SSEBENCH_HOME`; else the nearest checkout at or above the current directory; else the checkout of this code.
 * A checkout is its own workspace. Source: spec/host §7.1.
 * @throws UserError when `SSEBENCH_HOME` is no directory
 */
export function findHome(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()): Home {
  const named = env['SSEBENCH_HOME']?.trim();
  const home = named ? namedHome(named, cwd) : (checkoutAbove(cwd) ?? OWN_CHECKOUT);
  return { home, workspace: home };
}

function namedHome(named: string, cwd: string): string {
  const path = resolve(cwd, named === '~' || named.startsWith('~/') ? homedir() + named.slice(1) : named);
  if (!existsSync(path) || !statSync(path).isDirectory())
    throw new UserError(`SSEBENCH_HOME: ${path} is not a directory`);
  return path;
}

function checkoutAbove(cwd: string): string | undefined {
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    if (isCheckout(dir)) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}

function isCheckout(dir: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    return (
      typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === WORKSPACE_PACKAGE
    );
  } catch {
    // No package.json, or not one that we could be: the next directory up decides.
    return false;
  }
}

import { join } from 'node:path';
import type { Account } from '../../system/accounts.ts';

type Environment = Record<string, string>;

/**
 * The whole environment of a script: the case image's `ENV`, who the runner is, and where its caches go.
 * Sources: spec/runtime §3.5; design §7.
 */
export function runnerEnvironment(scriptEnv: Readonly<Environment>, account: Account, home: string): Environment {
  const cache = join(home, '.cache');
  return {
    ...scriptEnv,
    HOME: home,
    USER: account.name,
    LOGNAME: account.name,
    TMPDIR: join(home, 'tmp'),
    XDG_CACHE_HOME: cache,
    GOCACHE: join(cache, 'go-build'),
    CCACHE_DIR: join(home, '.ccache'),
  };
}

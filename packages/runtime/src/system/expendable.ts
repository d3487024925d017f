import { readFileSync, writeFileSync } from 'node:fs';

/** Above any process of ours, which are small: a thousandth of the memory limit each point. */
const SCORE = 600;
const OWN = '/proc/self/oom_score_adj';

/**
 * Starts a process that the kernel ends before ours when the memory is used up, and with it all that it starts. It
 * inherits its place: there is no moment in which it has another. Against accidents only, since a process may give
 * itself a better one. Where the place can't be changed the process is started all the same.
 * @param start must have made the process when it returns
 */
export function expendable<T>(start: () => T): T {
  const own = changePlace(String(SCORE));
  try {
    return start();
  } finally {
    if (own !== undefined) writeFileSync(OWN, own);
  }
}

/** The place that was ours before; undefined when it stays. */
function changePlace(score: string): string | undefined {
  try {
    const own = readFileSync(OWN, 'utf8').trim();
    if (Number(own) >= SCORE) return undefined;
    writeFileSync(OWN, score);
    return own;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'ENOENT', 'EROFS'].includes(code)) throw error;
    return undefined;
  }
}

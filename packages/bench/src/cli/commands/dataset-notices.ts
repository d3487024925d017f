import { join } from 'node:path';
import { findHome } from '../../config/home.ts';
import { showPath } from '../../config/show-path.ts';
import { staleness, writeGenerated } from '../../datasets/generated-file.ts';
import { datasetsNamed } from '../../datasets/locate.ts';
import { makeNotices, NOTICES_FILE, NOTICES_SOURCE } from '../../datasets/notices/make-notices.ts';
import { UserError } from '../errors.ts';
import { print } from '../output.ts';

/** How much of the difference is shown. Source: spec/host §6. */
const DIFF_LINES = 60;

/** `ssebench dataset notices`. Nothing is written while anything is wrong in any of the datasets. @throws UserError with all of it */
export async function datasetNotices(
  where: readonly string[],
  { check = false }: { check?: boolean },
): Promise<number> {
  const problems: string[] = [];
  const files = datasetsNamed(where, findHome()).flatMap((dir) => {
    try {
      const text = makeNotices(dir);
      if (text !== null) return [{ path: join(dir, NOTICES_FILE), text, dir }];
      print(`${showPath(dir)}: has no ${NOTICES_SOURCE}, and fetches nothing of others`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.lines);
    }
    return [];
  });
  if (problems.length > 0) throw new UserError(problems);
  let stale = false;
  for (const { dir, ...file } of files) {
    if (!check) {
      await writeGenerated(file);
      print(`wrote ${showPath(file.path)}`);
      continue;
    }
    const lines = staleness(file, DIFF_LINES, `ssebench dataset notices ${showPath(dir)}`);
    for (const line of lines) process.stderr.write(`${line}\n`);
    if (lines.length === 0) print(`${showPath(file.path)} is up to date`);
    else stale = true;
  }
  return stale ? 1 : 0;
}

import { join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { showPath } from '../../config/show-path.ts';
import { writeGenerated } from '../../datasets/generated-file.ts';
import { datasetsNamed } from '../../datasets/locate.ts';
import { lockProblems, makeLock, readLock, readRecords, renderLock } from '../../datasets/publish/make-lock.ts';
import { UserError } from '../errors.ts';
import { print, warn } from '../output.ts';

export interface DatasetLockOptions {
  records?: string;
  output?: string;
  check?: boolean;
}

/** `ssebench dataset lock`. Source: spec/host §§1.4, 3.2. @throws UserError for a dataset, a lock or a record that is none */
export async function datasetLock(where: readonly string[], options: DatasetLockOptions): Promise<number> {
  const dirs = datasetsNamed(where, findHome());
  const only = options.output === undefined ? options.records && '--records' : '--output';
  if (only && dirs.length > 1) throw new UserError(`${only}: takes one dataset; name it`, 2);
  const records = options.records === undefined ? [] : readRecords(resolve(options.records));
  let wrong = false;
  for (const dir of dirs) {
    const path = options.output === undefined ? join(dir, 'images.lock.json') : resolve(options.output);
    if (options.check) {
      const problems = lockProblems(dir, readLock(path));
      for (const problem of problems) process.stderr.write(`${showPath(path)}: ${problem}\n`);
      if (problems.length === 0) print(`${showPath(path)} goes with its dataset`);
      else wrong = true;
    } else {
      const lock = makeLock(dir, readLock(path), records);
      await writeGenerated({ path, text: renderLock(lock) });
      const pinned = Object.keys(lock.images).length;
      if (pinned === 0)
        warn(`${showPath(path)}: pins nothing yet; what dataset publish wrote down is taken in by --records`);
      print(`wrote ${showPath(path)} with ${pinned} images`);
    }
  }
  return wrong ? 1 : 0;
}

import { UserError } from '../cli/errors.ts';

const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM'];

/** What a person reads when a run can't have a directory; whatever is no fault of a disk stays as it is. */
export function cantBegin(error: unknown): unknown {
  return isOfTheDisk(error) ? new UserError(`the run can't begin: ${String(error)}`) : error;
}

/** What a person reads when a run's last files can't be written; whatever is no fault of a disk stays as it is. */
export function cantEnd(error: unknown, runId: string, resultsRoot: string): unknown {
  if (!isOfTheDisk(error)) return error;
  return new UserError([
    `the results of run ${runId} can't be written: ${String(error)}`,
    `nothing is lost; when that is put right: ssebench runs recover ${runId} --dir ${resultsRoot}`,
  ]);
}

function isOfTheDisk(error: unknown): boolean {
  return DISK_ERRORS.includes((error as NodeJS.ErrnoException).code ?? '');
}

import { UserError } from '../../cli/errors.ts';
import { readExpect, readRecordedTests } from '../../config/evidence.ts';
import type { Task } from '../../config/tasks.ts';
import { caseBases } from '../../images/case.ts';
import { controlsOf } from './controls.ts';
import type { Subject } from './report.ts';

/** Reads what the tasks are to be proven with. @throws UserError with the problems of all of them */
export function subjectsOf(tasks: readonly Task[], registry: string): Subject[] {
  const problems: string[] = [];
  const subjects = tasks.flatMap((task) => {
    try {
      const { dir } = task;
      const base = caseBases({ registry }, task).final;
      return [{ task, base, controls: controlsOf(task), expect: readExpect(dir), recorded: readRecordedTests(dir) }];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.lines);
      return [];
    }
  });
  if (problems.length > 0) throw new UserError(problems);
  return subjects;
}

import { resolve } from 'node:path';
import { TaskConfig } from '@ssebench/contracts/task-config';
import { showPath } from '../../config/show-path.ts';
import { newTaskFiles } from '../../datasets/new/new-task.ts';
import { type Answers, answerProblems, ask } from '../../datasets/new/questions.ts';
import { writeTask } from '../../datasets/new/write-task.ts';
import { validateTask } from '../../datasets/validate/validate.ts';
import { UserError } from '../errors.ts';
import { print } from '../output.ts';

const INTERRUPTED = 130;

/** `ssebench task new`. @throws UserError with status 2 for what is missing or wrong, all of it; when the folder is there */
export async function taskNew(id: string | undefined, options: Omit<Answers, 'id'>): Promise<number> {
  const given: Answers = { ...options, ...(id === undefined ? {} : { id }) };
  const isAsked = process.stdin.isTTY && process.stderr.isTTY;
  const problems = answerProblems(given, !isAsked);
  if (problems.length > 0) throw new UserError(problems, 2);
  const answers = isAsked ? await ask(given, process.stdin, process.stderr) : given;
  if (!answers) return INTERRUPTED;
  const { dataset = '', id: name = '', project = '', repository = '', commit, fix, type, report } = answers;
  const language = TaskConfig.shape.language.parse(answers.language);
  const files = newTaskFiles({ id: name, language, project, repository, commit, fix, type, report });
  const dir = await writeTask(resolve(dataset), name, files);
  const shown = showPath(dir);
  print(`made ${shown}; ${validateTask(dir).findings.length} places are left to fill in, marked FILL-IN:`);
  print(`  ssebench dataset validate --strict ${shown}    lists them, and what is wrong otherwise`);
  print(`  ssebench task try ${shown}    runs the scripts without and with the fix`);
  print(`  ssebench dataset manifest ${showPath(resolve(dataset))}    when all is done; docs/datasets.md has the rest`);
  return 0;
}

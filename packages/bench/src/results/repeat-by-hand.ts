import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { TaskConfig } from '@ssebench/contracts/task-config';

const PATCH = '/final.patch';

/** What a repetition needs to know of a run. */
export interface Repeatable {
  config: TaskConfig;
  /** The case image's ID. */
  image: string;
  /** The run's directory, absolute. */
  dir: string;
  /** An empty patch can't be applied. */
  patchBytes: number;
}

/**
 * The shell command that repeats one check in the task's case image: as root and without the runner's session, so for
 * looking, not for grading.
 */
export function repeatByHand(
  check: Pick<CheckRecord, 'check' | 'poc'>,
  { config, image, dir, patchBytes }: Repeatable,
): string {
  const { scripts, files } = config;
  const task = (path: string | null) => quote(`${CONTAINER.task}/${path}`);
  const steps = [`cd ${quote(config.source)}`];
  if (patchBytes > 0) steps.push(`git apply -p1 --binary ${PATCH}`);
  switch (check.check) {
    case 'build':
      steps.push(task(scripts.build));
      break;
    case 'poc':
      if (scripts.build) steps.push(task(scripts.build));
      steps.push(`${task(scripts.run)} ${quote(absolutePoc(check.poc ?? ''))}`);
      break;
    case 'function_test':
      steps.push(task(scripts.test));
      break;
    case 'intent_test':
      steps.push(`git apply -p1 ${task(files.future_test)}`, task(scripts.test));
      break;
  }
  const mount = patchBytes > 0 ? ` -v ${quote(`${join(dir, 'final.patch')}:${PATCH}:ro`)}` : '';
  return `docker run --rm -it --network none${mount} --entrypoint sh ${quote(image)} -c ${quote(steps.join(' && '))}`;
}

function absolutePoc(poc: string): string {
  return poc.startsWith('/') ? poc : `${CONTAINER.task}/${poc}`;
}

/** One word of a POSIX shell. */
function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

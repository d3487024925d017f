import { dirname, join } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import type { ImageInfo } from '@ssebench/engine/image';
import { showPath } from '../../config/show-path.ts';
import type { Task } from '../../config/tasks.ts';
import { builtCase } from '../../images/case.ts';
import type { ImageContext } from '../../images/context.ts';
import type { TaskReport } from '../verify/report.ts';

/** A task whose case image may be published. */
export interface Publishable {
  task: Task;
  version: string;
  image: ImageInfo;
}

/**
 * Whether a task may be published: its verification must be good, and its local case image the very one that was graded. Source:
 * spec/host §5.5.
 * @param report what is known of the task as it is now
 * @param output the folder that verification writes to, as messages name it
 * @returns why not, as a sentence, or what to publish
 */
export async function publishable(
  context: ImageContext,
  task: Task,
  report: TaskReport,
  output: string,
): Promise<Publishable | { refusal: string }> {
  const verify = `run: ssebench dataset verify ${task.id} --dir ${showPath(dirname(task.dir))} -o ${output}`;
  const refuse = (problem: string) => ({ refusal: `${task.id}: ${problem}` });
  if (task.datasetVersion === null)
    return refuse(`its dataset has no version; write ${showPath(join(task.dir, '../dataset.yaml'))}`);
  if (Object.keys(report.runs).length === 0) return refuse(`was not verified as it is now; ${verify}`);
  if (!report.ok) return refuse(`did not verify: ${report.failures.join('; ')}`);
  const graded = [...new Set(Object.values(report.runs).map(({ image }) => image))];
  const [id] = graded;
  if (graded.length !== 1 || !id)
    return refuse(`its runs did not record one case image that they graded; ${verify} --anew`);
  const image = await builtCase(context, task);
  if (!image) return refuse(`the engine no longer has the case image that was verified; ${verify} --anew`);
  if (image.id !== id)
    return refuse(
      `the case image is ${image.id}, the one that was verified ${id}: it was built anew; ${verify} --anew`,
    );
  const trust = extraCaOf(image);
  if (trust) return refuse(`${trust}; ${WITHOUT_CA}, and ${verify} --anew`);
  if (image.architecture !== 'x64') return refuse(`its image is for ${image.architecture}; only amd64 is published`);
  return { task, version: task.datasetVersion, image };
}

export const WITHOUT_CA = 'set SSEBENCH_EXTRA_CA=none';

/** Why an image must not be given to others: it trusts whoever holds a key of its maker's. */
export function extraCaOf({ labels, tags }: ImageInfo): string | undefined {
  const prints = labels[LABEL.extraCa];
  if (!prints) return undefined;
  return `${tags[0] ?? 'its image'} trusts further certificate authorities (${prints}) and is not published`;
}

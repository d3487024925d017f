import { join } from 'node:path';
import { findHome } from '../../config/home.ts';
import { showPath } from '../../config/show-path.ts';
import { addDataset } from '../../datasets/add/add-dataset.ts';
import { print } from '../output.ts';

export interface DatasetAddOptions {
  path?: string;
  ref?: string;
}

/** `ssebench dataset add`. @throws UserError when there is no such dataset, or it is here already */
export async function datasetAdd(url: string, { path, ref }: DatasetAddOptions): Promise<number> {
  const datasets = join(findHome().workspace, 'datasets');
  const { dir, commit } = await addDataset({ url, path, ref, datasets });
  print(`added ${showPath(dir)} as of ${commit}`);
  print(`its tasks: ssebench tasks list --local ${showPath(dir)}`);
  return 0;
}

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { CONTAINER } from '@ssebench/contracts/layout';
import { scalarTags } from '@ssebench/contracts/yaml-scalars';
import { parse } from 'yaml';
import { GIT } from '../capture/git.ts';
import { ipcRemover } from '../system/ipc-objects.ts';
import { type TaskFiles, taskFilesOf } from './task-files.ts';
import { UnusableImageError } from './unusable.ts';

/** The tree that the agent edits must not be, hold or lie in any of these. */
const SYSTEM = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/sys',
  '/tmp',
  '/usr',
  '/var',
  '/home/model',
  '/ssebench',
  '/ssebench-repo',
  CONTAINER.runtime,
];

export interface CaseImage {
  config: unknown;
  task: TaskFiles;
}

/**
 * What the case image at `root` is asked to prepare, once everything that a run needs is known to be there.
 * @throws UnusableImageError that names what is missing and the remedy
 */
export function checkCaseImage(root: string): CaseImage {
  if (!isExecutable(join(root, GIT))) {
    throw new UnusableImageError(
      `${GIT} is missing. Install git in the task's Dockerfile, or build on a base image that has it`,
    );
  }
  if (ipcRemover(root) === undefined) {
    throw new UnusableImageError(
      "ipcrm is missing, which removes what a check leaves behind. Install util-linux in the task's Dockerfile",
    );
  }
  const configPath = `${CONTAINER.task}/config.yaml`;
  if (!existsSync(join(root, configPath))) {
    throw new UnusableImageError(
      `${configPath} is missing. Add \`COPY sse/config.yaml ${configPath}\` to the task's Dockerfile`,
    );
  }
  const config = parseConfig(join(root, configPath), configPath);
  const task = taskFilesOf(config);
  checkSource(root, task.source);
  for (const path of [...task.scripts, ...task.answers]) {
    const full = `${CONTAINER.task}/${path}`;
    if (!lookAt(join(root, full))?.isFile()) {
      throw new UnusableImageError(
        `${full} is named in ${configPath} but is no file in the image. COPY it in the task's Dockerfile`,
      );
    }
  }
  for (const script of task.scripts) {
    const full = `${CONTAINER.task}/${script}`;
    if (!isExecutable(join(root, full))) {
      throw new UnusableImageError(`${full} is not executable. Add \`RUN chmod +x ${full}\` to the task's Dockerfile`);
    }
  }
  return { config, task };
}

function parseConfig(file: string, shown: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'), { customTags: scalarTags });
  } catch (error) {
    throw new UnusableImageError(`${shown} is not valid YAML: ${(error as Error).message}`);
  }
}

function checkSource(root: string, source: string): void {
  if (
    SYSTEM.some(
      (path) => source === '' || source === path || path.startsWith(`${source}/`) || source.startsWith(`${path}/`),
    )
  ) {
    throw new UnusableImageError(
      `source: ${source || '/'} is a place of the system's. Put the project in a directory such as /src/<project>`,
    );
  }
  const path = join(root, source);
  if (!lookAt(path)?.isDirectory()) {
    throw new UnusableImageError(`source: ${source} is no directory in the image`);
  }
  if (realpathSync(path) !== join(realpathSync(root), source)) {
    throw new UnusableImageError(`source: ${source} leads through a symbolic link. Name the real directory`);
  }
  for (let at = source.lastIndexOf('/'); at > 0; at = source.lastIndexOf('/', at - 1)) {
    const parent = source.slice(0, at);
    if (!(statSync(join(root, parent)).mode & 0o001)) {
      throw new UnusableImageError(
        `source: ${parent} can't be entered by other users. Add \`RUN chmod o+x ${parent}\``,
      );
    }
  }
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** For everybody: any execute bit counts for root. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (['EACCES', 'ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

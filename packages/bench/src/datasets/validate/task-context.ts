import { posix } from 'node:path';
import type { TaskConfig } from '@ssebench/contracts/task-config';
import type { YamlDocument } from '@ssebench/contracts/yaml-document';
import { type DockerfileModel, sourceOf } from './dockerfile-model.ts';
import type { Report } from './finding.ts';
import type { TaskTree } from './task-tree.ts';

export const CONFIG_FILE = 'sse/config.yaml';
const IN_IMAGE = '/ssebench';

/** A task whose config and Dockerfile could be read: what the rules look at. */
export interface TaskContext {
  tree: TaskTree;
  config: TaskConfig;
  lineOf: YamlDocument<TaskConfig>['lineOf'];
  dockerfile: DockerfileModel;
  report: Report;
}

/** A file that the config names, and where. */
export interface NamedFile {
  key: string;
  line: number;
  /** As written. */
  path: string;
  /** Absolute in the image. */
  imagePath: string;
  /** In the task folder; undefined when the Dockerfile brings no file of it there. */
  file: string | undefined;
}

/** Every file that a config names, in the order of spec/host §4, rule 16. */
export function namedFiles({ config, lineOf, dockerfile, tree }: Omit<TaskContext, 'report'>): NamedFile[] {
  const { scripts, files, task_description: told } = config;
  const named: [(string | number)[], string | null][] = [
    ...(['build', 'run', 'test'] as const).map((name): [string[], string | null] => [['scripts', name], scripts[name]]),
    ...(['patch', 'future_test', 'security_test', 'intent_test'] as const).map((name): [string[], string | null] => [
      ['files', name],
      files[name],
    ]),
    ...(files.poc ?? []).map((path, index): [(string | number)[], string] => [['files', 'poc', index], path]),
    ...(told.crash_report ?? []).map((path, index): [(string | number)[], string] => [
      ['task_description', 'crash_report', index],
      path,
    ]),
  ];
  return named.flatMap(([at, path]) => {
    if (path === null) return [];
    const imagePath = posix.join(IN_IMAGE, path);
    const key = at.reduce<string>(
      (text, it) => (typeof it === 'number' ? `${text}[${it}]` : text ? `${text}.${it}` : it),
      '',
    );
    return [{ key, line: lineOf(at), path, imagePath, file: sourceOf(dockerfile, tree, imagePath) }];
  });
}

export function isInImageFolder({ imagePath }: NamedFile): boolean {
  return imagePath.startsWith(`${IN_IMAGE}/`);
}

/** The named file with this key. */
export function named(files: readonly NamedFile[], key: string): NamedFile | undefined {
  return files.find((file) => file.key === key);
}

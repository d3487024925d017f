import { join } from 'node:path';
import { findHome } from '../../config/home.ts';
import { showPath } from '../../config/show-path.ts';
import { placesNamed } from '../../datasets/locate.ts';
import { type Finding, isFatal, sentenceOf } from '../../datasets/validate/finding.ts';
import { RULES } from '../../datasets/validate/rules.ts';
import { type Validation, validateDataset, validateTask } from '../../datasets/validate/validate.ts';
import { printable } from '../../printable.ts';
import { print, printJson } from '../output.ts';

export interface DatasetValidateOptions {
  strict?: boolean;
  json?: boolean;
}

/**
 * `ssebench dataset validate`. Status 1 when a dataset or task is invalid. Problems go to standard error, the good news to
 * standard output. Source: spec/host §§1.4, 4. @throws UserError for a folder that is not there
 */
export function datasetValidate(
  where: readonly string[],
  { strict = false, json = false }: DatasetValidateOptions,
): number {
  const validations = placesNamed(where, findHome()).map(({ kind, dir }) =>
    kind === 'task' ? validateTask(dir) : validateDataset(dir),
  );
  if (json) printJson(validations.map((it) => asJson(it, strict)));
  else for (const validation of validations) tell(validation, strict);
  return validations.some((it) => invalid(it, strict)) ? 1 : 0;
}

function invalid({ findings }: Validation, strict: boolean): boolean {
  return findings.some((finding) => isFatal(finding, strict));
}

function tell(validation: Validation, strict: boolean): void {
  const { dir, tasks, findings } = validation;
  const shown = showPath(dir);
  const lines: string[] = [];
  for (const finding of findings.filter(({ task }) => task === null)) lines.push(datasetLine(dir, finding));
  const byTask = Map.groupBy(findings, ({ task }) => task);
  for (const task of tasks) {
    const own = byTask.get(task) ?? [];
    if (own.length > 0) lines.push(`${task}:`, ...own.map((finding) => `  ${sentenceOf(finding)}`));
  }
  for (const line of lines) process.stderr.write(`${printable(line)}\n`);
  const bad = tasks.filter((task) => byTask.get(task)?.some((finding) => isFatal(finding, strict)));
  const count = `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`;
  if (bad.length > 0)
    process.stderr.write(`${shown}: ${bad.length} of ${count} ${bad.length === 1 ? 'is' : 'are'} invalid\n`);
  else if (!invalid(validation, strict)) print(`${shown}: ${count} ${tasks.length === 1 ? 'is' : 'are'} valid`);
}

function datasetLine(dir: string, { file, ...finding }: Finding): string {
  return sentenceOf({ ...finding, file: showPath(file === null ? dir : join(dir, file)) });
}

function asJson({ dir, tasks, findings }: Validation, strict: boolean) {
  return {
    dir,
    tasks,
    valid: !findings.some((finding) => isFatal(finding, strict)),
    findings: findings.map((finding) => ({ severity: RULES[finding.rule].severity, ...finding })),
  };
}

import { RULES, type RuleName } from './rules.ts';

/** One thing that a rule found. */
export interface Finding {
  rule: RuleName;
  /** The task's folder name; null for the dataset as a whole. */
  task: string | null;
  /** Relative to the task folder, or to the dataset for the dataset as a whole; null for the folder itself. */
  file: string | null;
  /** From 1. */
  line: number | null;
  /** Dotted, such as `files.poc[0]`. */
  key: string | null;
  /** What was found, and what is allowed. */
  message: string;
}

/** Where and what; the rest is null. */
export type Place = Partial<Pick<Finding, 'file' | 'line' | 'key'>>;

/** Notes what is wrong with one task. */
export type Report = (rule: RuleName, place: Place, message: string) => void;

/** A report of one task (or of the dataset, with null), and what it has noted. */
export function reportOf(task: string | null): { report: Report; findings: Finding[] } {
  const findings: Finding[] = [];
  const report: Report = (rule, { file = null, line = null, key = null }, message) => {
    findings.push({ rule, task, file, line, key, message });
  };
  return { report, findings };
}

/** Whether it keeps the dataset from being valid; with `strict`, warnings do as well. */
export function isFatal({ rule }: Finding, strict: boolean): boolean {
  return strict || RULES[rule].severity === 'error';
}

/** `sse/config.yaml:7: langauge: unknown key, did you mean "language"? [config]`. */
export function sentenceOf({ rule, file, line, key, message }: Finding): string {
  const place = file === null ? null : line === null ? file : `${file}:${line}`;
  const weight = RULES[rule].severity === 'warning' ? 'warning' : null;
  return `${[place, weight, key, message].filter((part) => part !== null).join(': ')} [${rule}]`;
}

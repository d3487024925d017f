import { connectEngine } from '@ssebench/engine/docker/connect';
import type { DoctorCheck } from '../../doctor/check.ts';
import { examine } from '../../doctor/examine.ts';
import { openHost } from '../host.ts';
import { print, printJson } from '../output.ts';

/** `ssebench doctor`. Status 1 when something failed. Source: spec/host §11. */
export async function doctor({ json = false }: { json?: boolean }): Promise<number> {
  const { checks, missing } = await examine(openHost(), connectEngine);
  if (json) printJson({ checks, missing_keys: missing });
  else for (const line of report(checks)) print(line);
  return checks.some(({ status }) => status === 'fail') ? 1 : 0;
}

function report(checks: readonly DoctorCheck[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, detail, fix }) => [
    `${status.padEnd(5)} ${name.padEnd(width)}  ${detail.replaceAll('\n', ' ')}`,
    ...(fix === null ? [] : [`${' '.repeat(width + 8)}fix: ${fix}`]),
  ]);
  return [...lines, '', conclusion(checks)];
}

function conclusion(checks: readonly DoctorCheck[]): string {
  const count = (status: DoctorCheck['status']) => checks.filter((check) => check.status === status).length;
  const failed = count('fail');
  const warnings = count('warn');
  if (failed > 0) return `${failed} of ${checks.length} checks failed`;
  return `all required checks passed${warnings > 0 ? `, ${warnings} with a warning` : ''}`;
}

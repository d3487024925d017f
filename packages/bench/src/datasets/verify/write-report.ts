import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECK_NAMES, type CheckName } from '@ssebench/contracts/difficulty';
import { writeFileAtomic } from '../../results/atomic-write.ts';
import type { Flake } from './flakes.ts';
import type { TaskReport } from './report.ts';

const HEADS: Record<CheckName, string> = {
  build: 'build',
  poc: 'PoC',
  function_test: 'tests',
  intent_test: 'intent',
};

/** Writes `tasks/<task>.json`. */
export async function writeTaskReport(output: string, report: TaskReport): Promise<void> {
  await writeJson(output, join('tasks', `${report.task}.json`), report);
}

/** Writes `summary.json`, `summary.md` and `flakes.json`. Source: spec/host §5.4. */
export async function writeSummary(
  output: string,
  reports: readonly TaskReport[],
  flakes: readonly Flake[],
  { version, at }: { version: string; at: Date },
): Promise<void> {
  const passed = reports.filter(({ ok }) => ok);
  const failed = reports.filter(({ ok }) => !ok).map(({ task }) => task);
  const meta = { version, generated_at: at.toISOString() };
  await writeJson(output, 'summary.json', {
    ...meta,
    total: reports.length,
    passed: passed.length,
    failed,
    tasks: reports,
  });
  await writeJson(output, 'flakes.json', flakes);
  await writeFileAtomic(join(output, 'summary.md'), markdown(reports, flakes));
}

async function writeJson(output: string, path: string, value: unknown): Promise<void> {
  const file = join(output, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`);
}

function markdown(reports: readonly TaskReport[], flakes: readonly Flake[]): string {
  const good = reports.filter(({ ok }) => ok).length;
  const agents = ['Ref', 'Dummy'].flatMap((agent) => CHECK_NAMES.map((check) => `${agent} ${HEADS[check]}`));
  const lines = [
    '# Verification of tasks',
    '',
    `${good} of ${reports.length} tasks grade as expected.`,
    '',
    '`ok`: as it must be; `FAIL`: not so; `skip`: the build failed before it; `error`: not graded; `-`: the task has no such check. Controls: the patches of the author, and whether each ended as it must.',
    '',
    row(['Task', 'Base', ...agents, 'Controls', 'Time', 'Result']),
    row(Array.from({ length: agents.length + 5 }, () => '---')),
    ...reports.map((report) =>
      row([
        report.task,
        report.base,
        ...['reference', 'dummy'].flatMap((agent) =>
          CHECK_NAMES.map((check) => report.runs[agent]?.cells[check] ?? '-'),
        ),
        controlsCell(report),
        time(report.seconds),
        report.ok ? 'pass' : '**FAIL**',
      ]),
    ),
    ...section('Failures', reports, ({ failures }) => failures),
    ...section('Warnings', reports, ({ warnings }) => warnings),
    ...(flakes.length > 0 ? ['', '## Flaky checks', '', row(FLAKE_HEADS), row(FLAKE_HEADS.map(() => '---'))] : []),
    ...flakes.map((flake) =>
      row([
        flake.task,
        flake.control,
        flake.poc ?? flake.check,
        counts(flake.outcomes),
        counts(flake.together),
        `${flake.first.slice(0, 16)} to ${flake.last.slice(0, 16)}`,
      ]),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const FLAKE_HEADS = ['Task', 'Control', 'Check', 'Outcomes', 'Of these beside other runs', 'When (UTC)'];

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function controlsCell({ runs }: TaskReport): string {
  const own = Object.values(runs).filter(({ agent }) => agent !== 'reference' && agent !== 'dummy');
  if (own.length === 0) return '-';
  return own.map(({ agent, failures }) => `${agent} ${failures.length === 0 ? 'ok' : 'FAIL'}`).join(', ');
}

function section(
  title: string,
  reports: readonly TaskReport[],
  sentences: (report: TaskReport) => readonly string[],
): string[] {
  const all = reports.flatMap((report) => sentences(report).map((sentence) => `- ${report.task}: ${sentence}`));
  return all.length === 0 ? [] : ['', `## ${title}`, '', ...all];
}

function counts(outcomes: Readonly<Record<string, number>>): string {
  const all = Object.entries(outcomes).map(([outcome, times]) => `${outcome} ${times}`);
  return all.length > 0 ? all.join(', ') : '-';
}

/** `1m05s`. Source: spec/host §5.4. */
export function time(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`;
}

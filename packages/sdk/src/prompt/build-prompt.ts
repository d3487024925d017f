import type { Metadata } from '@ssebench/contracts/daemon-api';
import type { DaemonClient } from '../daemon/daemon-client.ts';
import { INSTRUCTIONS } from './instructions.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  c: 'C',
  'c++': 'C++',
  cpp: 'C++',
  go: 'Go',
  java: 'Java',
  javascript: 'JavaScript',
  python: 'Python',
  rust: 'Rust',
};

/** How test scripts start the build; the agent can't run that. */
const BUILD_SCRIPT = '/ssebench/scripts/build.sh';

/** The prompt of the daemon's task. @throws DaemonError when the daemon does not say what the task is */
export async function taskPrompt(daemon: Pick<DaemonClient, 'project'>): Promise<string> {
  return buildPrompt(await daemon.project());
}

/** The prompt of a task: byte for byte the same in every run and for every agent. Source: spec/runtime §12. */
export function buildPrompt(task: Metadata): string {
  const language = LANGUAGES[task.language.toLowerCase()] ?? task.language;
  return sections([
    heading(task, language),
    INSTRUCTIONS,
    vulnerability(task),
    `## Project\n\n- Name: ${task.project}\n- Language: ${language}\n- Source code: ${task.source}`,
    buildAndTest(task),
  ]);
}

function heading({ project }: Metadata, language: string): string {
  return `# Task

You are a software security engineer. A vulnerability in ${project}, a project written in ${language}, has been confirmed.
Repair it by editing the project's source code.`;
}

function vulnerability({ task_description: described }: Metadata): string {
  const reports = (described.crash_report ?? []).map(trimReport).filter((report) => report.trim() !== '');
  const parts = [
    titled('### Bug description', field(described.bug_description)),
    titled('### Issue', field(described.issue)),
    ...reports.map((report, index) => {
      const title = reports.length === 1 ? '### Report' : `### Report ${index + 1} of ${reports.length}`;
      return `${title}\n\n${fenced('text', report)}`;
    }),
  ];
  const said = sections(parts);
  return `## Vulnerability\n\n${said || 'No description of the vulnerability is available for this task.'}`;
}

function buildAndTest({ build_script: build, test_script: test }: Metadata): string {
  const parts = [
    script('### Build script', build),
    script('### Test script', test?.replaceAll(BUILD_SCRIPT, '# build the project first.')),
  ];
  return titled('## Build and test', sections(parts));
}

function script(title: string, text: string | null | undefined): string {
  return text?.trim() ? `${title}\n\n${fenced('bash', text.trimEnd())}` : '';
}

function titled(title: string, content: string): string {
  return content === '' ? '' : `${title}\n\n${content}`;
}

function sections(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A field that says `none` says nothing. */
function field(text: string | null): string {
  const trimmed = text?.trim() ?? '';
  return trimmed.toLowerCase() === 'none' ? '' : trimmed;
}

function trimReport(report: string): string {
  return report.trimEnd().replace(/^[\r\n]+/, '');
}

/** A fence longer than any run of backticks in its content. */
function fenced(info: string, content: string): string {
  const longest = Math.max(0, ...(content.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${info}\n${content}\n${fence}`;
}

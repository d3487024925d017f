import { RULES } from '@ssebench/bench/datasets/validate/rules';
import { BENCHER_ACTIONS, DEFAULT_DIFFICULTY, DIFFICULTY_NAMES, isAllowed } from '@ssebench/contracts/difficulty';
import { FAULT_CODES, FAULTS } from '@ssebench/contracts/faults';
import { ENV } from '@ssebench/contracts/layout';
import { CONTAINER_VARIABLES } from './environment.ts';
import { HOST_SETTINGS } from './host-settings.ts';

function page(title: string, source: string, text: string, head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
  return `<!-- Generated from ${source} by \`npm run generate\`; do not edit. -->\n# ${title}\n\n${text}\n\n${table}\n`;
}

function faults(): string {
  return page(
    'Faults',
    'packages/contracts/src/faults.ts',
    'Every way in which a run can end without a grade: `outcome.fault` in `summary.json`. The phase and the blame are the usual ones; a fault may name others where more is known.',
    ['Code', 'Phase', 'Blame', 'Can be tried again', 'Meaning'],
    FAULT_CODES.map((code) => {
      const { phase, blame, retryable, meaning } = FAULTS[code];
      return [`\`${code}\``, phase, blame, retryable ? 'yes' : 'no', meaning];
    }),
  );
}

function difficulty(): string {
  return page(
    'Difficulty levels',
    'packages/contracts/src/difficulty.ts',
    'Which actions of the `bencher` tool the agent may run at a level. Grading always runs every check that the task has.',
    ['Level', 'Name', ...BENCHER_ACTIONS.map((action) => `\`${action}\``)],
    DIFFICULTY_NAMES.map((name, level) => [
      level === DEFAULT_DIFFICULTY ? `${level} (default)` : String(level),
      `\`${name}\``,
      ...BENCHER_ACTIONS.map((action) => (isAllowed(action, level) ? 'runs' : 'refused')),
    ]),
  );
}

function environment(): string {
  const names = Object.keys(ENV) as (keyof typeof ENV)[];
  return page(
    'Environment variables in a container',
    'packages/contracts/src/layout.ts',
    'What the programs in the container read. Scripts of the task get none of them.',
    ['Variable', 'Default', 'Meaning'],
    names.map((name) => {
      const { fallback, meaning } = CONTAINER_VARIABLES[name];
      return [`\`${ENV[name]}\``, fallback, meaning];
    }),
  );
}

function hostSettings(): string {
  return page(
    'Settings of the host',
    'scripts/generate/host-settings.ts',
    "What the `ssebench` command reads from its environment, and from the workspace's `.env` where the table says so; the environment goes first, and an empty value counts as unset. API keys have the names that the models' files give them.",
    ['Variable', 'From', 'Option', 'Default', 'Meaning'],
    Object.entries(HOST_SETTINGS).map(([names, { from, option, fallback, meaning }]) => {
      const shown = names.split(', ').map((name) => `\`${name}\``);
      return [shown.join(', '), from.replace('.env', '`.env`'), option ?? '–', fallback, meaning];
    }),
  );
}

function datasetRules(): string {
  return page(
    'Rules of datasets',
    'packages/bench/src/datasets/validate/rules.ts',
    'What `ssebench dataset validate` looks for, by the name that stands at the end of each line that it prints. Warnings count as errors with `--strict`.',
    ['Rule', '', 'What is wrong', 'What to do'],
    Object.entries(RULES).map(([name, { severity, meaning, remedy }]) => [`\`${name}\``, severity, meaning, remedy]),
  );
}

/** The reference pages that are nothing but a table of the contracts: path from the top of the clone, and the text. */
export function referenceTables(): Record<string, string> {
  return {
    'docs/reference/dataset-rules.md': datasetRules(),
    'docs/reference/difficulty.md': difficulty(),
    'docs/reference/container-environment.md': environment(),
    'docs/reference/faults.md': faults(),
    'docs/reference/host-settings.md': hostSettings(),
  };
}

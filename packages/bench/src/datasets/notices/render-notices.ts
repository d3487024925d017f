import type { PocOrigin } from '@ssebench/contracts/third-party';
import type { NoticesContext } from './check-notices.ts';
import { fixCommits, type NoticedTask, plainUrl } from './notice.ts';

const LANGUAGES = { c: 'C', go: 'Go', rust: 'Rust' } as const;
const ADVISORY_ORDER = ['CVE', 'GHSA', 'GO', 'RUSTSEC'];
const PACKAGES = { 'debian-source': 'Debian source package', 'go-module': 'Go module', crate: 'crate' } as const;
/** What stands between a repository's address and a commit; elsewhere it is as GitLab has it. */
const BETWEEN: Readonly<Record<string, string>> = {
  'github.com': 'commit',
  'www.github.com': 'commit',
  'sourceforge.net': 'ci',
};
const POC_KINDS = {
  report: 'from the report',
  derived: 'derived from the report',
  written: 'written for this dataset',
} as const;

/** `THIRD_PARTY.md`. The order of its parts is that of spec/host §6. */
export function renderNotices(dataset: string, { thirdParty, tasks }: NoticesContext): string {
  const counts = Object.entries(LANGUAGES).flatMap(([key, name]) => {
    const count = tasks.filter(({ config }) => config.language === key).length;
    return count > 0 ? [`${count} in ${name}`] : [];
  });
  const parts = [
    '<!-- Generated from third_party.json and the task folders by `ssebench dataset notices`; do not edit. -->',
    `# Third-party notices of ${dataset}`,
    `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}: ${counts.join(', ')}.`,
    '## What is whose',
    'What was written for this dataset (task configs, scripts, reports, hidden tests that are not of the project, proofs of concept that were written or derived) is licensed under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). The source code that the tasks are built from, the fixes in `sse/diffs` and tests taken from the projects keep the licences of their projects, which are listed here.',
    '## Licences',
    licenceTable(tasks),
    ...special(tasks),
    ...table('## Vendored sources', ['Task', 'Crate', 'Version', 'Commit', 'Licence files'], vendoredRows(tasks)),
    ...table('## Package archives', ['Task', 'Kind', 'Package', 'Version', 'Checksum'], packageRows(tasks)),
    ...Object.entries(LANGUAGES).flatMap(([key, name]) =>
      section(
        name,
        tasks.filter(({ config }) => config.language === key),
        thirdParty.advisory_urls,
      ),
    ),
    '## Corrections',
    'If something of yours is here that should not be, or is described wrongly, open an issue in the repository that this file comes from; it is corrected or removed.',
  ];
  return `${parts.join('\n\n')}\n`;
}

function licenceTable(tasks: readonly NoticedTask[]): string {
  const groups = [...Map.groupBy(tasks, ({ upstream }) => upstream.license)];
  groups.sort(([a, x], [b, y]) => y.length - x.length || compare(a, b));
  const rows = groups.map(([license, own]) => {
    const names = [...new Set(own.map(({ upstream }) => upstream.name))].sort(compare);
    return [license, String(own.length), names.join(', ')];
  });
  return tableText(['Licence', 'Tasks', 'Projects'], rows);
}

function special(tasks: readonly NoticedTask[]): string[] {
  const noted = new Map(tasks.flatMap(({ upstream }) => (upstream.note ? [[upstream.name, upstream.note]] : [])));
  const lines = [...noted].sort(([a], [b]) => compare(a, b)).map(([name, note]) => `- ${name}: ${note}`);
  return lines.length > 0 ? ['## Copyleft and special terms', lines.join('\n')] : [];
}

function vendoredRows(tasks: readonly NoticedTask[]): string[][] {
  return tasks.flatMap(({ id, entry: { vendored } }) => {
    if (!vendored) return [];
    const { name, version, revision, license_files: files } = vendored;
    return [[id, name, version, `\`${revision.slice(0, 12)}\``, files.join(', ')]];
  });
}

function packageRows(tasks: readonly NoticedTask[]): string[][] {
  return tasks.flatMap(({ id, entry }) => {
    if (!entry.package) return [];
    const { kind, name, version, checksum } = entry.package;
    return [[id, PACKAGES[kind], name, version, `\`${checksum}\``]];
  });
}

function section(
  language: string,
  tasks: readonly NoticedTask[],
  overrides: Readonly<Record<string, string>>,
): string[] {
  if (tasks.length === 0) return [];
  const sorted = [...tasks].sort((a, b) => compare(a.id.toLowerCase(), b.id.toLowerCase()));
  return [`## Tasks in ${language}`, ...sorted.flatMap((task) => [`### ${task.id}`, describe(task, overrides)])];
}

function describe(task: NoticedTask, overrides: Readonly<Record<string, string>>): string {
  const { entry, upstream } = task;
  const files = upstream.license_files.map((file) => `\`${file}\``).join(', ');
  const commits = fixCommits(task).map((commit) => commitLink(entry.upstream, commit));
  const fixes = [...commits, ...entry.fix_patches.map((url) => `<${url}>`)];
  const advisories = [...entry.advisories].sort(byAdvisory).map((id) => `[${id}](${overrides[id] ?? advisoryUrl(id)})`);
  return [
    `- Upstream: [${upstream.name}](${entry.upstream})`,
    `- Licence: ${upstream.license} (read from ${files})`,
    `- Source: ${sourceText(task)}`,
    `- Fix: ${fixes.join(', ')}`,
    `- Advisories: ${advisories.join(', ') || 'none known'}`,
    `- Report: <${entry.report}>`,
    `- Proof of concept: ${entry.pocs.map(pocText).join('; ') || 'none'}`,
  ].join('\n');
}

function sourceText({ entry }: NoticedTask): string {
  if (entry.package) {
    const { kind, name, version, checksum } = entry.package;
    return `${PACKAGES[kind]} ${name} ${version}, fetched when the image is built, \`${checksum}\``;
  }
  if (entry.vendored) {
    const { name, version, revision } = entry.vendored;
    return `vendored crate ${name} ${version}, commit ${commitLink(entry.upstream, revision)}`;
  }
  return `commit ${commitLink(entry.upstream, entry.license_checked_at)}, cloned when the image is built`;
}

function pocText({ files, kind, text }: PocOrigin): string {
  return `${files.map((file) => `\`${file}\``).join(', ')}: ${text ?? (kind ? POC_KINDS[kind] : '')}`;
}

function commitLink(repository: string, commit: string): string {
  const url = plainUrl(repository);
  const between = BETWEEN[new URL(url).host] ?? '-/commit';
  return `[\`${commit.slice(0, 12)}\`](${url}/${between}/${commit})`;
}

function advisoryUrl(id: string): string {
  if (id.startsWith('CVE-')) return `https://nvd.nist.gov/vuln/detail/${id}`;
  if (id.startsWith('GHSA-')) return `https://github.com/advisories/${id}`;
  if (id.startsWith('GO-')) return `https://pkg.go.dev/vuln/${id}`;
  return `https://rustsec.org/advisories/${id}.html`;
}

function byAdvisory(a: string, b: string): number {
  const rank = (id: string) => ADVISORY_ORDER.indexOf(id.split('-')[0] ?? '');
  return rank(a) - rank(b) || compare(a, b);
}

function table(head: string, columns: readonly string[], rows: readonly string[][]): string[] {
  return rows.length > 0 ? [head, tableText(columns, rows)] : [];
}

function tableText(columns: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

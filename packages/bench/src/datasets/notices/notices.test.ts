import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../cli/errors.ts';
import { cliFolder } from '../../cli/test-cli.ts';
import { datasetFolder, type Files, soundTask } from '../testing/dataset-folder.ts';
import { makeNotices } from './make-notices.ts';

const UPSTREAM = 'https://example.org/leak';
const COMMIT = '9f58baa7a613f89dfdc764c39e47fd3a15606153';
const FIX = 'bf4efcb3c18d1825b2988603dea5909140a5302b';
const DIGITS = 'ab'.repeat(32);
const H1 = `h1:${'A'.repeat(43)}=`;

interface Entry {
  upstream?: Record<string, unknown>;
  task?: Record<string, unknown>;
  more?: Record<string, unknown>;
}

function thirdParty({ upstream = {}, task = {}, more = {} }: Entry = {}): string {
  const value = {
    upstreams: { [UPSTREAM]: { name: 'Leak', license: 'MIT', license_files: ['LICENSE'], ...upstream } },
    tasks: {
      'leak-1': {
        upstream: UPSTREAM,
        license_checked_at: COMMIT,
        fix_commits: [FIX],
        report: 'https://example.org/leak/issues/1',
        advisories: ['GHSA-aaaa-bbbb-cccc', 'CVE-2020-36067'],
        pocs: [{ files: ['sse/pocs/a'], kind: 'derived' }],
        ...task,
      },
    },
    ...more,
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

const base = soundTask();
const dockerfile = (origin: string): Files => ({
  'leak-1/Dockerfile': (base['leak-1/Dockerfile'] ?? '').replace('COPY src /src/leak', origin),
});
const cloned = (url = UPSTREAM, commit = COMMIT) =>
  dockerfile(`RUN git clone ${url}.git /src/leak && cd /src/leak && git checkout ${commit} && rm -rf .git`);
const archive = (file: string, digits = DIGITS) =>
  dockerfile(`RUN curl -o /tmp/a ${file} && echo "${digits}  /tmp/a" | sha256sum --check`);
const ofPackage = (kind: string, checksum = `sha256:${DIGITS}`, more = {}) => ({
  license_checked_at: '1.2-3',
  package: { kind, name: 'leak', version: '1.2-3', checksum },
  ...more,
});

/** The text, or the lines of what is wrong. */
function notices(files: Files, entry: Entry = {}): string | null | string[] {
  using folder = datasetFolder({ ...cloned(), 'third_party.json': thirdParty(entry), ...files });
  try {
    return makeNotices(folder.dir);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.lines.map((line) => line.replace(`${folder.dir}/`, ''));
  }
}

test('a cloned project is described with its licence, commit, fix, advisories and proofs of concept', () => {
  const text = notices({}, { more: { advisory_urls: { 'CVE-2020-36067': 'https://example.org/cve' } } });
  expect(text).toContain('\n1 task: 1 in C.\n');
  expect(text).toContain('\n| MIT | 1 | Leak |\n');
  expect(text).not.toContain('Copyleft');
  expect(text).toContain(`## Tasks in C

### leak-1

- Upstream: [Leak](https://example.org/leak)
- Licence: MIT (read from \`LICENSE\`)
- Source: commit [\`9f58baa7a613\`](https://example.org/leak/-/commit/${COMMIT}), cloned when the image is built
- Fix: [\`bf4efcb3c18d\`](https://example.org/leak/-/commit/${FIX})
- Advisories: [CVE-2020-36067](https://example.org/cve), [GHSA-aaaa-bbbb-cccc](https://github.com/advisories/GHSA-aaaa-bbbb-cccc)
- Report: <https://example.org/leak/issues/1>
- Proof of concept: \`sse/pocs/a\`: derived from the report
`);
});

test('a fix that is no commit of the project is a link to where it is read', () => {
  const patch = 'https://example.org/patches/leak.patch';
  const text = notices({}, { task: { fix_commits: [], fix_patches: [patch] } });
  expect(text).toContain(`\n- Fix: <${patch}>\n`);
});

test("commits are linked as the project's host has them", () => {
  const upstream = 'https://sourceforge.net/p/leak/code';
  const entry = JSON.parse(thirdParty());
  entry.upstreams = { [upstream]: entry.upstreams[UPSTREAM] };
  entry.tasks['leak-1'].upstream = upstream;
  const text = notices({ ...cloned(upstream), 'third_party.json': JSON.stringify(entry) });
  expect(text).toContain(`(${upstream}/ci/${FIX})`);
});

test.each<[string, Files, Record<string, unknown>]>([
  [
    'a Debian source',
    archive('http://deb.debian.org/debian/pool/main/l/leak/leak_1.2-3.orig.tar.gz'),
    ofPackage('debian-source'),
  ],
  ['a crate', archive('https://static.crates.io/crates/leak/leak-1.2-3.crate'), ofPackage('crate')],
  [
    'a crate of a lock file',
    {
      ...dockerfile('COPY fetch /fetch'),
      'leak-1/fetch/Cargo.lock': `[[package]]\nname = "leak"\nversion = "1.2-3"\nchecksum = "${DIGITS}"\n`,
    },
    ofPackage('crate'),
  ],
  [
    'a Go module',
    { ...dockerfile('COPY fetch /fetch'), 'leak-1/fetch/go.sum': `leak 1.2-3 ${H1}\nleak 1.2-3/go.mod ${H1}\n` },
    ofPackage('go-module', H1),
  ],
])('%s is a package, checked against the Dockerfile', (_, files, task) => {
  const text = notices(files, { task });
  expect(text).toContain('## Package archives');
  expect(text).toMatch(
    /- Source: (?:Debian source package|crate|Go module) leak 1\.2-3, fetched when the image is built, `(?:sha256|h1):/,
  );
});

const VENDORED = { dir: 'crate', name: 'leak', version: '0.1.0', revision: COMMIT, license_files: ['LICENSE'] };
const crate = (license = 'MIT OR Apache-2.0'): Files => ({
  ...dockerfile('COPY ./crate /src/leak'),
  'leak-1/crate/Cargo.toml': `[package]\nname = "leak"\nversion = "0.1.0"\nlicense = "${license}"\n\n[dependencies]\nname = "other"\n`,
  'leak-1/crate/LICENSE': 'free\n',
});

test('a vendored crate is checked against its Cargo.toml; A/B is A OR B', () => {
  const entry = { upstream: { license: 'MIT OR Apache-2.0', note: 'Pick one.' }, task: { vendored: VENDORED } };
  const text = notices(crate('MIT/Apache-2.0'), entry);
  expect(text).toContain('- Source: vendored crate leak 0.1.0, commit');
  expect(text).toContain('| leak-1 | leak | 0.1.0 | `9f58baa7a613` | LICENSE |');
  expect(text).toContain('## Copyleft and special terms\n\n- Leak: Pick one.\n');
  expect(notices(crate('GPL-2.0-only'), entry)).toEqual([
    expect.stringMatching(/crate\/Cargo\.toml says license "GPL-2\.0-only"/),
  ]);
});

test.each<[string, Files, Entry, RegExp]>([
  ['a task that is not listed', soundTask('leak-2'), {}, /^third_party\.json:\d+: tasks: leak-2: is missing$/],
  [
    'a task that there is not',
    {},
    {
      more: {
        tasks: { 'leak-1': JSON.parse(thirdParty()).tasks['leak-1'], x: JSON.parse(thirdParty()).tasks['leak-1'] },
      },
    },
    /^third_party\.json:\d+: tasks\.x: there is no such task folder$/,
  ],
  [
    'an upstream that nobody uses',
    {},
    {
      more: {
        upstreams: {
          ...JSON.parse(thirdParty()).upstreams,
          'https://example.org/b': { name: 'B', license: 'MIT', license_files: ['L'] },
        },
      },
    },
    /upstreams\.https:\/\/example\.org\/b: no task is of this project$/,
  ],
  [
    'an upstream that there is not',
    {},
    { task: { upstream: 'https://example.org/b' } },
    /upstream: "https:\/\/example\.org\/b" is not among the upstreams$/,
  ],
  [
    'a licence of no list',
    {},
    { upstream: { license: 'MIT-ish' } },
    /^third_party\.json:5: .*license: must be an expression of SPDX licence identifiers .*, found "MIT-ish"$/,
  ],
  [
    'another commit',
    {},
    { task: { license_checked_at: FIX, fix_commits: [COMMIT] } },
    /license_checked_at: must be the commit that the Dockerfile checks out, 9f58/,
  ],
  [
    'a clone of another project',
    cloned('https://example.org/other'),
    {},
    /upstream: the Dockerfile must clone https:\/\/example\.org\/leak once and nothing else, found https:\/\/example\.org\/other\.git$/,
  ],
  ['a clone of a branch', cloned(UPSTREAM, 'main'), {}, /must check out one commit of 40 hexadecimal digits, found 0$/],
  [
    'no origin',
    dockerfile('COPY src /src/leak'),
    {},
    /tasks\.leak-1: the Dockerfile clones no repository, so it needs "package" or "vendored"$/,
  ],
  ['two origins', {}, { task: { vendored: VENDORED } }, /its source has more than one origin: vendored, a git clone$/],
  [
    'a short fix commit',
    {},
    { task: { fix_commits: ['abc'] } },
    /fix_commits\[0\]: must be a full commit of 40 hexadecimal digits, found "abc"$/,
  ],
  ['no fix commit', {}, { task: { fix_commits: [] } }, /fix_commits: must name the commits of the fix/],
  ['a fix that is the bug', {}, { task: { fix_commits: [COMMIT] } }, /fix_commits: 9f58\w+ is the vulnerable commit$/],
  [
    'an advisory that is cited and not listed',
    {},
    { task: { advisories: ['CVE-2020-1'] } },
    /advisories: lacks GO-2021-0054, which the config's reference cites$/,
  ],
  ['a proof of concept from nowhere', {}, { task: { pocs: [] } }, /pocs: lacks sse\/pocs\/a, which the config names$/],
  [
    'an origin of no proof of concept',
    {},
    { task: { pocs: [{ files: ['sse/pocs/a', 'sse/pocs/b'], text: 'ours' }] } },
    /pocs\[0\]\.files\[1\]: sse\/pocs\/b: no such file in the task folder$/,
  ],
  [
    'a proof of concept without an origin',
    {},
    { task: { pocs: [{ files: ['sse/pocs/a'] }] } },
    /pocs\[0\]: needs a kind \(report, derived or written\), or a text$/,
  ],
  ['no report', {}, { task: { report: undefined } }, /tasks\.leak-1\.report: missing/],
  [
    'an address for what nobody cites',
    {},
    { more: { advisory_urls: { 'CVE-1-2': 'https://example.org' } } },
    /advisory_urls\.CVE-1-2: no task has this advisory$/,
  ],
  ['an unknown key', {}, { task: { origin: {} } }, /tasks\.leak-1\.origin: unknown key/],
  [
    'a package of another version',
    archive('leak_1.2-4.orig.tar.gz'),
    { task: ofPackage('debian-source') },
    /package: the Dockerfile does not fetch the debian-source leak 1\.2-3$/,
  ],
  [
    'a package with another checksum',
    archive('leak_1.2-3.orig.tar.gz', 'cd'.repeat(32)),
    { task: ofPackage('debian-source') },
    /package: the Dockerfile does not check leak 1\.2-3 against sha256:abab/,
  ],
  [
    'a package whose licence was read elsewhere',
    archive('leak_1.2-3.orig.tar.gz'),
    { task: ofPackage('debian-source', undefined, { license_checked_at: '1.1' }) },
    /license_checked_at: must be the package's version "1\.2-3", found "1\.1"$/,
  ],
  [
    'a Go module with another hash',
    { ...dockerfile('COPY fetch /fetch'), 'leak-1/fetch/go.sum': `leak 1.2-3 h1:${'B'.repeat(43)}=\n` },
    { task: ofPackage('go-module', H1) },
    /package: no go\.sum that the Dockerfile copies has "leak 1\.2-3 h1:AAA.*; found "leak 1\.2-3 h1:BBB/,
  ],
  [
    'a Go module with the checksum of an archive',
    dockerfile('COPY src /src/leak'),
    { task: ofPackage('go-module') },
    /package\.checksum: of a go-module must begin with h1:, found "sha256:ababa…"$/,
  ],
])('%s is told by its line', (name, files, entry, message) => {
  const cites: Files = name.includes('cited')
    ? {
        'leak-1/sse/config.yaml': `${base['leak-1/sse/config.yaml']}reference: ["https://pkg.go.dev/vuln/GO-2021-0054"]\n`,
      }
    : {};
  const found = notices({ ...files, ...cites }, entry);
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  for (const line of found ?? []) expect(line).toMatch(/^third_party\.json:\d+: /);
});

test('all problems are told at once, and nothing is written', () => {
  using home = cliFolder();
  using folder = datasetFolder({
    ...cloned(),
    'third_party.json': thirdParty({ upstream: { license: 'X' }, task: { pocs: [], fix_commits: [] } }),
  });
  cpSync(folder.dir, join(home.dir, 'data/notes'), { recursive: true });
  home.write('data/notes/THIRD_PARTY.md', 'as it was\n');
  const { status, stderr } = home.ssebench(['dataset', 'notices', 'data/notes']);
  expect([status, stderr.trim().split('\n').length]).toEqual([1, 3]);
  expect(readFileSync(join(home.dir, 'data/notes/THIRD_PARTY.md'), 'utf8')).toBe('as it was\n');
});

test('a check finds a file that is missing or out of date', () => {
  using home = cliFolder();
  using folder = datasetFolder({ ...cloned(), 'third_party.json': thirdParty() });
  cpSync(folder.dir, join(home.dir, 'data/notes'), { recursive: true });
  const run = (...args: string[]) => home.ssebench(['dataset', 'notices', 'data/notes', ...args]);
  expect(run('--check').stderr).toBe('data/notes/THIRD_PARTY.md: missing; run: ssebench dataset notices data/notes\n');
  expect(run()).toEqual({ status: 0, stdout: 'wrote data/notes/THIRD_PARTY.md\n', stderr: '' });
  expect(run('--check').status).toBe(0);
  home.write('data/notes/third_party.json', thirdParty({ upstream: { name: 'Leaky' } }));
  expect(run('--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('\n+| MIT | 1 | Leaky |\n') });
});

test('a dataset of its own projects needs no notices; one that fetches anything does', () => {
  expect(notices({ ...dockerfile('COPY src /src/leak'), 'third_party.json': null })).toBeNull();
  expect(notices({ 'third_party.json': null })).toEqual([
    "third_party.json: no such file, but these tasks fetch what is others': leak-1",
  ]);
});

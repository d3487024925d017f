import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../../cli/test-cli.ts';
import { datasetFolder } from '../testing/dataset-folder.ts';

const GIT_ENV = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

/** A repository with a dataset in `data/set`, served as a folder. */
function repository() {
  using dataset = datasetFolder();
  const dir = mkdtempSync(join(tmpdir(), 'sse-repo-'));
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always', ...args],
      {
        cwd: dir,
        env: GIT_ENV,
        stdio: 'pipe',
      },
    ).toString();
  execFileSync('mkdir', ['-p', join(dir, 'data')]);
  execFileSync('cp', ['-r', dataset.dir, join(dir, 'data/set')]);
  git('init', '-q', '-b', 'main');
  const repo = {
    dir,
    url: `file://${dir}`,
    git,
    commit(message = 'more') {
      git('add', '--all', '--force');
      git('commit', '-q', '-m', message);
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
  repo.commit();
  return repo;
}

test('a dataset of a repository stands beside the others, byte for byte, as of the wanted tag', () => {
  using repo = repository();
  using home = cliFolder();
  writeFileSync(join(repo.dir, 'data/set/.gitattributes'), '* text eol=crlf export-subst\nhidden export-ignore\n');
  writeFileSync(join(repo.dir, 'data/set/hidden'), 'kept $Format:%H$\n');
  writeFileSync(join(repo.dir, 'data/set/run.sh'), '#!/bin/sh\n');
  chmodSync(join(repo.dir, 'data/set/run.sh'), 0o755);
  symlinkSync('hidden', join(repo.dir, 'data/set/link'));
  repo.commit();
  repo.git('tag', 'v1');
  const commit = repo.git('rev-parse', 'HEAD').trim();
  writeFileSync(join(repo.dir, 'data/set/hidden'), 'later\n');
  repo.commit();
  const end = home.ssebench(['dataset', 'add', repo.url, '--path', 'data/set', '--ref', 'v1']);
  expect(end).toEqual({
    status: 0,
    stdout: `added datasets/set as of ${commit}\nits tasks: ssebench tasks list --local datasets/set\n`,
    stderr: '',
  });
  const at = (name: string) => join(home.dir, 'datasets/set', name);
  expect(readFileSync(at('hidden'), 'utf8')).toBe('kept $Format:%H$\n');
  expect(readFileSync(at('link'), 'utf8')).toBe('kept $Format:%H$\n');
  expect(statSync(at('run.sh')).mode & 0o777).toBe(0o755);
  expect(readdirSync(join(home.dir, 'datasets'))).toEqual(['set']);
  expect(existsSync(at('.git'))).toBe(false);
  expect(home.ssebench(['tasks', 'list', '--local', 'datasets/set']).stdout).toContain('leak-1');

  const again = home.ssebench(['dataset', 'add', repo.url, '--path', 'data/set']);
  expect(again).toMatchObject({
    status: 1,
    stderr: 'datasets/set: is there already; remove it to take the dataset anew\n',
  });
});

test.each<[string, (repo: ReturnType<typeof repository>) => void, string[], RegExp]>([
  ['no dataset', () => undefined, [], /: is no dataset, it has no dataset\.yaml; name its folder with --path$/m],
  ['a folder that is not there', () => undefined, ['--path', 'nowhere'], /nowhere/],
  ['a folder outside', () => undefined, ['--path', '../x'], /--path: "\.\.\/x" must be a folder in the repository/],
  ['a tag that is not there', () => undefined, ['--ref', 'v9'], /Remote branch v9 not found/],
  [
    'an option as a tag',
    () => undefined,
    ['--ref=--upload-pack=x'],
    /--ref: "--upload-pack=x" is no name of a branch or tag/,
  ],
  [
    'a link that leads outside',
    ({ dir, commit }) => {
      symlinkSync('../../../../etc/passwd', join(dir, 'data/set/link'));
      commit();
    },
    ['--path', 'data/set'],
    /: link is a link that leads outside of the dataset/,
  ],
  [
    'a submodule',
    ({ git, url }) => {
      git('submodule', '--quiet', 'add', url, 'data/set/sub');
      git('commit', '-q', '-m', 'sub');
    },
    ['--path', 'data/set'],
    /: sub is a submodule, which a dataset can't have/,
  ],
])('%s: one message, and nothing is left behind', (_, prepare, options, message) => {
  using repo = repository();
  using home = cliFolder();
  prepare(repo);
  const { status, stderr } = home.ssebench(['dataset', 'add', repo.url, ...options]);
  expect(status).toBe(1);
  expect(stderr).toMatch(message);
  expect(existsSync(join(home.dir, 'datasets')) ? readdirSync(join(home.dir, 'datasets')) : []).toEqual([]);
});

test('what ssh says is told without its carriage returns', () => {
  using home = cliFolder();
  const env = { GIT_SSH_COMMAND: "printf 'no such host\\r\\n' >&2; exit 255;" };
  const { stderr } = home.ssebench(['dataset', 'add', 'ssh://git@host.invalid/x.git'], env);
  expect(stderr).toMatch(/^ssh:\/\/git@host\.invalid\/x\.git: no such host\nfatal: /);
});

test.each(['ext::sh -c id', '--upload-pack=id', '/etc', 'git://example.org/x'])('%s is no address', (url) => {
  using home = cliFolder();
  expect(home.ssebench(['dataset', 'add', '--', url])).toMatchObject({
    status: 1,
    stderr: `${url}: must be an address that begins with https://, http://, ssh:// or file://\n`,
  });
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BOTH_MODES, everything } from './support/hostile.ts';
import { differences, editingAgent, ODD_TASK, trees } from './support/odd-tree.ts';
import { type FinishedRun, Workspace } from './support/workspace.ts';

/** Everything that a patch can say. */
const EDITS = String.raw`
append('main.c', "// changed\n");
put('picture.bin', pack('C*', map { $_ ^ 0x55 } 0 .. 255) x 10);
put('new.bin', pack('C*', reverse 0 .. 255));
put('text/crlf', "one\r\n2\r\nthree\r\n\$Id: mine \$\r\n");
put('text/mixed', "a\nb\r\nc\rd\n\r\n");
put('text/no-end', "one\n2");
put('text/end', "one\ntwo");
put('text/latin1', "caf\xe9 cr\xe8me\n");
put('text/utf16', "\xff\xfeb\0\r\0\n\0");
put('text/ident', "\$Id: 0123 \$\n");
put('text/new-crlf', "one\r\ntwo\n");
put('text/looks-like-a-patch', "diff --git a/x b/x\n--- a/x\n+++ b/x\n\@\@ -1 +1 \@\@\n");
put('full', '');
put('empty', 'x');
put('new-empty', '');
for my $name (map { substr $_, 6 } glob('names/{.*,*}')) {
  next if $name =~ /^\.{1,2}$/;
  append("names/$name", "changed\n");
  put("new-names/$name/$name", $name);
}
put("new-names/\"a\"\n\xff\\\t", "x\n");
put('-rf', "x\n");
put('new-names/' . 'n' x 255, "long\n");
chmod 0755, 'plain';
chmod 0644, 'run';
put('new-run', "#!/bin/sh\n", 0755);
put('only-others', "x\n", 0655);
rename 'moved/from', 'moved/to';
rename 'moved/directory', 'moved/directory2';
remove_tree('gone');
sub in_place { my ($path) = @_; remove_tree($path) if -d $path && !-l $path; unlink $path; return $path; }
put(in_place('kinds/file-to-directory') . '/inner/file', "x\n");
symlink('directory-to-link', in_place('kinds/file-to-link'));
put(in_place('kinds/directory-to-file'), "x\n");
symlink('/etc', in_place('kinds/directory-to-link'));
put(in_place('kinds/directory-and-back'), "for a moment\n");
put(in_place('kinds/directory-and-back') . '/inner/file', "another\n");
symlink('elsewhere', in_place('links/changed'));
put(in_place('links/to-file'), "x\n");
put(in_place('links/to-directory') . '/inner', "x\n");
symlink('a', 'links/b');
symlink('b', 'links/a');
symlink('/nowhere/at/all', 'links/new-dangling');
symlink('/proc/self/root', 'links/new-absolute');
symlink('..', 'links/up');
symlink("odd\n\xff target", "links/odd\xff");
append('.gitattributes', "* text=auto eol=crlf ident filter=evil working-tree-encoding=UTF-16 diff=evil\nnew-names export-ignore\n");
put('text/.gitattributes', "[attr]binary -text\n* binary eol=lf merge=ours -diff\n");
put('vendor/lib.c', "int changed_and_ignored;\n");
note();
append("$ENV{SSE_ARCHIVE}/closed", 1);
put('closed/deep/file', "x\n");
put('closed/file', "x\n");
note();
chmod 0, $_ for 'closed/deep', 'closed/file', 'closed', 'main.c', 'text', '.gitattributes', 'moved';
remove_tree('.git');
`;

/** Everything that a patch can't say, or that is not for it. */
const LEFT_OUT = String.raw`
run('mkfifo', 'fifo', 'text/.gitignore', 'text/.gitattributes');
unlink 'kinds/file-to-fifo', 'kinds/file-to-repository';
run('mkfifo', 'kinds/file-to-fifo');
socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or die $!;
bind($socket, pack_sockaddr_un('socket')) or die $!;
my @git = ('git', '-c', 'user.name=x', '-c', 'user.email=x@localhost', '-c', 'protocol.file.allow=always');
for my $path ('nested', 'deep/nested', 'kinds/file-to-repository') {
  put("$path/file", "x\n");
  run('git', 'init', '-q', $path);
  run(@git, '-C', $path, 'add', '--all');
  run(@git, '-C', $path, 'commit', '-qm', 'x');
}
run(@git, 'submodule', '--quiet', 'add', getcwd() . '/nested', 'submodule');
append('.gitignore', "*.log\n/out/\nmain.c\n");
put('new.log', "x\n");
put('out/of/sight', "x\n");
put('hidden/.gitignore', "*\n");
put('hidden/file', "x\n");
put('new.o', "the project's rules say this\n");
append('main.c', "// changed, whatever the rules say\n");
for (1 .. 25) { mkdir 'd' x 200; chdir 'd' x 200 or die $!; }
open(my $file, '>', 'file'); close $file;
chdir '/src/odd';
run('mv', '.git', '/tmp/moved');
put('.git', "gitdir: /tmp/moved\n");
put('submodule/.git', "gitdir: /tmp/moved/modules/submodule\n");
note();
`;
const BY_ROOT =
  'mknod device c 1 5 && mknod kinds/block b 7 0 && touch /root/of-root && chmod 600 /root/of-root && mkdir own && ' +
  'cp /root/of-root own/secret && chmod 600 own/secret && mkdir -m 700 own/closed && touch own/closed/file && ' +
  'ln /root/of-root own/hard-link && echo secret > /root/of-root';

const BAIT = 'touch $SSE_ARCHIVE/bait';
/** A repository in which everything lies. */
const POISON = String.raw`
my @git = ('git', '-c', 'user.name=x', '-c', 'user.email=x@localhost');
append('plain', "committed\n");
run(@git, 'commit', '-qam', 'one');
run(@git, 'checkout', '-q', '--orphan', 'other');
append('full', "flagged\n");
append('text/end', "flagged\n");
run(@git, 'add', '--all');
run(@git, 'commit', '-qm', 'a history of its own');
append('full', "after\n");
append('text/end', "after\n");
run('git', 'update-index', '--assume-unchanged', 'full');
run('git', 'update-index', '--skip-worktree', 'text/end');
run('git', 'rm', '-q', '--cached', 'main.c');
append('main.c', "// no longer in the index\n");
put('new-file', "x\n");
put('.gitattributes', "* filter=evil diff=evil merge=evil\n");
note();
my $bait = "${BAIT.replaceAll('$', String.raw`\$`)}";
my $settings = <<"END";
[core]
  fsmonitor = "$bait-fsmonitor;"
  hooksPath = .git/hooks
  worktree = /
  attributesFile = /src/odd/.git/evil-attributes
  excludesFile = /src/odd/.git/evil-excludes
  autocrlf = true
  eol = crlf
  fileMode = false
  symlinks = false
  ignoreCase = true
  sshCommand = "$bait-ssh;"
  pager = "$bait-pager;"
  alternateRefsCommand = "$bait-alternates;"
[filter "evil"]
  clean = "$bait-clean; cat"
  smudge = "$bait-smudge; cat"
  process = "$bait-process"
  required = true
[diff]
  external = "$bait-external;"
  renames = copies
  noprefix = true
[diff "evil"]
  textconv = "$bait-textconv;"
  command = "$bait-command;"
[alias]
  diff = "!$bait-alias"
[status]
  showUntrackedFiles = no
[uploadpack]
  packObjectsHook = "$bait-pack;"
[includeIf "gitdir:/"]
  path = /src/odd/.git/config
END
put('.git/config', $settings);
put("$ENV{HOME}/.gitconfig", $settings);
put("$ENV{HOME}/.config/git/attributes", "* filter=evil\n");
put(".git/$_", "*\n") for 'info/exclude', 'evil-excludes';
put(".git/$_", "* filter=evil diff=evil -text\n") for 'info/attributes', 'evil-attributes';
put(".git/hooks/$_", "#!/bin/sh\n$bait-hook-$_\n", 0755)
  for 'post-index-change', 'pre-commit', 'post-checkout', 'fsmonitor-watchman', 'reference-transaction', 'pre-auto-gc';
put('.git/objects/info/alternates', "/src/odd/.git/objects\n/etc\n/nowhere\n");
put('.git/info/grafts', "nonsense\n");
put('.git/shallow', "nonsense\n");
put('.git/index', 'DIRC' . "\xff" x 100);
put('.git/HEAD', "ref: refs/heads/../../../etc/passwd\n");
put('.git/commondir', "/\n");
`;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    editor: editingAgent(EDITS),
    'leaver-out': editingAgent(LEFT_OUT, BY_ROOT),
    poisoner: editingAgent(POISON),
    sparse: editingAgent(`run('truncate', '-s', '1T', 'main.c');`),
    heavy: editingAgent(String.raw`
for my $number (1 .. 50_000) { put(sprintf('many/%03d/file-%d', $number / 100, $number), "file $number\n" x ($number % 50)); }
put('large.bin', pack('N*', 1 .. 5_000) x 10_000);
open(my $random, '<:raw', '/dev/urandom'); read($random, my $bytes, 40_000_000);
put('random.bin', $bytes);
note();
`),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** A run whose agent did all that it was to do, and which was graded. */
async function graded(agent: string, ...options: string[]): Promise<FinishedRun> {
  const run = await workspace.runOn(ODD_TASK, agent, ...options);
  const { outcome, runtime_result } = run.summary;
  const said = await readFile(join(run.directory, 'agent.log'), 'utf8');
  expect({ code: outcome.code, status: runtime_result.agent_exit_code }, `${JSON.stringify(outcome)}\n${said}`).toEqual(
    {
      code: 'graded',
      status: 0,
    },
  );
  return run;
}

const skippedOf = ({ summary }: FinishedRun) =>
  Object.fromEntries((summary.capture?.skipped ?? []).map(({ path, reason }) => [path, reason]));

describe.each(everything ? BOTH_MODES : ['separate'])('grading %s', (grading) => {
  test('whatever is edited is graded as it is, byte for byte', async () => {
    const run = await graded('editor', '--grading', grading);
    expect(skippedOf(run)).toEqual({});
    const both = await trees(run);
    // What the project ignores is as the image has it.
    expect(differences(both)).toEqual(['vendor/lib.c']);
    expect(both.graded.size).toBeGreaterThan(80);
    expect(both.graded.get('new-names/"a"\n\xff\\\t')).toMatch(/^file /);
    expect(both.graded.get('only-others')).toMatch(/^file /);
    expect(both.graded.get('closed/deep/file')).toMatch(/^file /);
    expect(both.graded.has('gone/file')).toBe(false);
  });
});

test('what is no part of a patch is left out and said, and decides nothing about the rest', async () => {
  const run = await graded('leaver-out');
  const skipped = skippedOf(run);
  const tooLong = Object.keys(skipped).filter((path) => path.startsWith('ddd'));
  expect(new Set(tooLong.map((path) => skipped[path]))).toEqual(new Set(['unreadable']));
  for (const path of tooLong) delete skipped[path];
  expect(skipped).toEqual({
    fifo: 'special_file',
    socket: 'special_file',
    device: 'special_file',
    'kinds/block': 'special_file',
    'kinds/file-to-fifo': 'special_file',
    'text/.gitignore': 'special_file',
    'text/.gitattributes': 'special_file',
    'own/secret': 'unreadable',
    'own/hard-link': 'unreadable',
    'own/closed': 'unreadable',
    'nested/': 'nested_repository',
    'deep/nested/': 'nested_repository',
    'submodule/': 'nested_repository',
    'kinds/file-to-repository/': 'nested_repository',
    'new.log': 'newly_ignored',
    'out/': 'newly_ignored',
    'hidden/.gitignore': 'newly_ignored',
    'hidden/file': 'newly_ignored',
  });
  const both = await trees(run);
  const left = Object.keys(skipped);
  const unsaid = differences(both).filter(
    (path) =>
      !path.startsWith('ddd') && !left.some((said) => path === said || path.startsWith(said.replace(/\/?$/, '/'))),
  );
  expect(unsaid).toEqual(['new.o']);
  expect([...both.graded.keys()].filter((path) => left.some((said) => path.startsWith(said)))).toEqual([]);
  expect(both.graded.get('main.c')).toBe(both.agent.get('main.c'));
  expect(await readFile(join(run.directory, 'final.patch'), 'latin1')).toContain('changed, whatever the rules say');
});

test("the agent's repository is not asked what changed, and nothing of it is started", async () => {
  const run = await graded('poisoner');
  expect(skippedOf(run)).toEqual({});
  expect(differences(await trees(run))).toEqual([]);
  expect(await readdir(join(run.directory, 'archive'))).toEqual(['manifest']);
  const changed = (await readFile(join(run.directory, 'final.patch'), 'latin1')).match(/(?<=^diff --git a\/)\S+/gm);
  expect(changed).toEqual(['.gitattributes', 'full', 'main.c', 'new-file', 'plain', 'text/end']);
});

test('a patch with a sparse file of 1 TB is no patch', async () => {
  const { summary } = await workspace.runOn(ODD_TASK, 'sparse');
  expect(summary.outcome).toMatchObject({ code: 'patch_too_large', fault: { blame: 'agent', retryable: false } });
  expect(summary.patch_result.status).toBe('error');
});

test.runIf(everything)('50,000 files, one of 200 MB and 40 MB of noise are graded as they are', async () => {
  const run = await graded('heavy');
  expect(run.summary.capture?.patch_bytes).toBeGreaterThan(50_000_000);
  const [seen, built] = (await trees(run)).totals;
  expect(seen).toMatch(/^total \w+ 500\d\d$/);
  expect(built).toBe(seen);
});

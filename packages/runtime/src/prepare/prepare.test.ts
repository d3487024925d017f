import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PreparedImage } from '@ssebench/contracts/prepared-image';
import { describe, expect, onTestFinished, test } from 'vitest';
import { liveDiff } from '../capture/capture.ts';
import { removeTree } from '../system/remove-tree.ts';
import { prepareImage } from './prepare.ts';

const CONFIG = `# the fix is abc
id: t-1
source: /src/app
scripts: {build: scripts/build.sh, test: scripts/test.sh}
files: {patch: diffs/patch.diff, poc: [pocs/a]}
task_description: {crash_report: [reports/r.txt]}
patch_commit: abc
unknown: kept
`;

/** A root file system small enough to look at, with every kind of thing that preparation must put right. */
function caseImage(): {
  root: string;
  at: (path: string) => string;
  write: (path: string, content?: string, mode?: number) => void;
} {
  const root = mkdtempSync(join(tmpdir(), 'ssebench-prepare-'));
  onTestFinished(() => removeTree(root));
  chmodSync(root, 0o755);
  const at = (path: string) => join(root, path);
  const write = (path: string, content = 'x\n', mode = 0o644) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
    chmodSync(at(path), mode);
  };
  write('/etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nubuntu:x:1000:1000::/home/ubuntu:/bin/sh\n');
  write('/etc/group', 'root:x:0:\nsudo:x:27:ubuntu\nubuntu:x:1000:\n');
  write('/etc/shadow', 'root:*:::::::\nubuntu:!:::::::\n', 0o640);
  mkdirSync(at('/usr/bin'), { recursive: true });
  symlinkSync('/usr/bin/git', at('/usr/bin/git'));
  symlinkSync('/usr/bin/ipcrm', at('/usr/bin/ipcrm'));
  write('/bin/bash', '', 0o755);
  write('/root/.bash_history', 'secret');
  write('/ssebench/config.yaml', CONFIG);
  for (const name of ['build', 'test']) write(`/ssebench/scripts/${name}.sh`, '#!/bin/sh\n', 0o755);
  for (const path of ['diffs/patch.diff', 'pocs/a', 'reports/r.txt']) write(`/ssebench/${path}`);
  write('/src/app/main.c', 'int x;\r\n', 0o666);
  write('/src/app/run.sh', '#!/bin/sh\n', 0o4755);
  write('/src/app/secret', 'closed\n', 0o600);
  write('/src/app/.gitignore', '*.o\n');
  write('/src/app/.gitattributes', '* text=auto\n');
  write('/src/app/built.o');
  write('/src/app/sub/.git', 'gitdir: ../.git/modules/sub\n');
  write('/src/app/sub/x');
  write('/src/.git/HEAD');
  symlinkSync('main.c', at('/src/app/link'));
  execFileSync('git', ['init', '-q', at('/src/app')]);
  return { root, at, write };
}

const prepare = (root: string, variant: 'work' | 'tool') =>
  prepareImage({ root, variant, scriptEnv: { PATH: '/opt/go/bin:/usr/bin' }, log: () => undefined });

const look = (path: string) => {
  const { uid, gid, mode } = lstatSync(path);
  return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
};

describe.runIf(process.getuid?.() === 0)('the work image', () => {
  test('holds no answer, and the config says what checks there are', async () => {
    const { root, at } = caseImage();
    await prepare(root, 'work');
    expect(readdirSync(at('/ssebench'), { recursive: true }).sort()).toEqual([
      'config.yaml',
      'reports',
      'reports/r.txt',
      'scripts',
      'scripts/build.sh',
      'scripts/test.sh',
    ]);
    const config = readFileSync(at('/ssebench/config.yaml'), 'utf8');
    expect(config).toContain('pocs/a');
    expect(config).toContain('unknown: kept');
    expect(config).not.toContain('abc');
    expect(look(at('/ssebench'))).toBe('0:0 700');
    expect(existsSync(at('/ssebench-repo'))).toBe(false);
    expect(existsSync(at('/root/.bash_history'))).toBe(false);
  });

  test("the source is the agent's, with one commit by its user and ignored files in place", async () => {
    const { root, at } = caseImage();
    await prepare(root, 'work');
    expect(look(at('/src/app'))).toBe('1000:1000 755');
    expect(look(at('/src/app/main.c'))).toBe('1000:1000 664');
    expect(look(at('/src/app/run.sh'))).toBe('1000:1000 755');
    expect(lstatSync(at('/src/app/link')).uid).toBe(1000);
    expect(existsSync(at('/src/app/built.o'))).toBe(true);
    expect(existsSync(at('/src/app/sub/.git'))).toBe(false);
    expect(existsSync(at('/src/.git'))).toBe(false);
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: at('/src/app'),
        uid: 1000,
        gid: 1000,
        encoding: 'utf8',
        env: { HOME: at('/home/model') },
      });
    expect(git('log', '--all', '--format=%an <%ae> %s %D').trim()).toBe(
      'SSEBench Agent <agent@ssebench.invalid> buggy commit HEAD -> master',
    );
    expect(git('status', '--porcelain')).toBe('');
    expect(git('fsck', '--no-reflogs', '--unreachable')).toBe('');
  });

  test('a fresh tree has no changes against the baseline, which nobody but root can write', async () => {
    const { root, at } = caseImage();
    const prepared = await prepare(root, 'work');
    const baseline = at('/var/lib/ssebench-image/baseline.git');
    const scratchDir = at('/scratch');
    mkdirSync(scratchDir, { mode: 0o711 });
    const { report } = await liveDiff({
      baseline,
      tree: at('/src/app'),
      account: { uid: 1000, gid: 1000 },
      scratchDir,
    });
    expect(report).toMatchObject({ patch_bytes: 0, skipped: [] });
    expect(execFileSync('git', ['-C', baseline, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()).toBe(
      prepared.baseline,
    );
    for (const path of readdirSync(baseline, { recursive: true, encoding: 'utf8' })) {
      expect(look(join(baseline, path))).toMatch(/^0:0 (755|644|444)$/);
    }
  });

  test('the same source gives the same baseline', async () => {
    const commits = [await prepare(caseImage().root, 'work'), await prepare(caseImage().root, 'work')].map(
      (p) => p.baseline,
    );
    expect(commits[0]).toBe(commits[1]);
  });
});

describe.runIf(process.getuid?.() === 0)('the tool image', () => {
  test("keeps the task's files, closed, and its source is the clean copy that all can read and only root can write", async () => {
    const { root, at } = caseImage();
    const prepared = await prepare(root, 'tool');
    expect(existsSync(at('/ssebench/diffs/patch.diff'))).toBe(true);
    expect(readFileSync(at('/ssebench/config.yaml'), 'utf8')).toBe(CONFIG);
    expect(look(at('/ssebench'))).toBe('0:0 700');
    expect(readlinkSync(at('/ssebench-repo'))).toBe('/src/app');
    expect(look(at('/src/app/main.c'))).toBe('0:0 644');
    expect(look(at('/src/app/secret'))).toBe('0:0 644');
    expect(look(at('/src/app/run.sh'))).toBe('0:0 755');
    expect(readdirSync(at('/src/app'))).not.toContain('.git');
    expect(prepared.baseline).toBeNull();
    expect(existsSync(at('/var/lib/ssebench-image/baseline.git'))).toBe(false);
  });
});

describe.runIf(process.getuid?.() === 0)('both images', () => {
  test('prepared.json fits its contract and has the environment of the scripts', async () => {
    const { root, at } = caseImage();
    await prepare(root, 'tool');
    const prepared = PreparedImage.parse(JSON.parse(readFileSync(at('/var/lib/ssebench-image/prepared.json'), 'utf8')));
    expect(prepared).toMatchObject({
      variant: 'tool',
      source: '/src/app',
      script_env: { PATH: '/opt/go/bin:/usr/bin' },
    });
  });

  test('accounts and directories are as a run needs them', async () => {
    const { root, at } = caseImage();
    await prepare(root, 'work');
    expect(readFileSync(at('/etc/passwd'), 'utf8')).toMatch(
      /^root:.*\nmodel:x:1000:1000::\/home\/model:\/bin\/bash\nsse-runner:x:999:999::.*nologin\n$/,
    );
    expect(look(at('/etc/shadow'))).toBe('0:0 640');
    expect(look(at('/home/model'))).toBe('1000:1000 750');
    expect(look(at('/var/lib/ssebench'))).toBe('0:0 700');
    expect(look(at('/var/lib/ssebench-image'))).toBe('0:0 755');
    expect(look(at('/var/lib/ssebench-runner'))).toBe('0:999 710');
  });

  test("what belongs to the accounts' ids by chance becomes root's, and set-id and world-write bits go", async () => {
    const { root, at, write } = caseImage();
    write('/home/ubuntu/.profile');
    write('/opt/tool', 'x', 0o6777);
    write('/var/mail/x', 'x', 0o660);
    mkdirSync(at('/tmp'));
    chmodSync(at('/tmp'), 0o1777);
    mkdirSync(at('/go'));
    chmodSync(at('/go'), 0o1777);
    mkdirSync(at('/var/local'), { recursive: true });
    chmodSync(at('/var/local'), 0o2777);
    lchownSync(at('/home/ubuntu/.profile'), 1000, 1000);
    lchownSync(at('/var/mail/x'), 0, 999);
    lchownSync(at('/opt/tool'), 999, 5);
    chmodSync(at('/opt/tool'), 0o6777);
    const { changed_paths } = await prepare(root, 'tool');
    expect(look(at('/home/ubuntu/.profile'))).toBe('0:0 644');
    expect(look(at('/var/mail/x'))).toBe('0:0 660');
    expect(look(at('/opt/tool'))).toBe('0:5 775');
    expect(look(at('/tmp'))).toBe('0:0 1777');
    expect(look(at('/var/local'))).toBe('0:0 775');
    expect(look(at('/go'))).toBe('0:0 1775');
    expect(changed_paths).toBe(5);
  });

  test.runIf(existsSync('/usr/sbin/setcap'))(
    "programs lose their capabilities where the image's getcap tells",
    async () => {
      const { root, at, write } = caseImage();
      write('/usr/bin/my ping', 'x', 0o755);
      execFileSync('/usr/sbin/setcap', ['cap_net_raw+ep', at('/usr/bin/my ping')]);
      mkdirSync(at('/usr/sbin'));
      symlinkSync('/usr/sbin/getcap', at('/usr/sbin/getcap'));
      await prepare(root, 'tool');
      expect(execFileSync('/usr/sbin/getcap', ['-r', root], { encoding: 'utf8' })).toBe('');
    },
  );

  test("a second name of the source's files elsewhere does not become the agent's", async () => {
    const { root, at, write } = caseImage();
    write('/usr/lib/shared');
    linkSync(at('/usr/lib/shared'), at('/src/app/shared'));
    await prepare(root, 'work');
    expect(look(at('/usr/lib/shared'))).toBe('0:0 644');
    expect(look(at('/src/app/shared'))).toBe('1000:1000 644');
  });
});

describe.runIf(process.getuid?.() === 0)('a case image that lacks something', () => {
  test.each<[string, (image: ReturnType<typeof caseImage>) => void]>([
    ['ipcrm is missing', ({ at }) => rmSync(at('/usr/bin/ipcrm'))],
    ['/usr/bin/git is missing. Install git', ({ at }) => rmSync(at('/usr/bin/git'))],
    ['/ssebench/config.yaml is missing', ({ at }) => rmSync(at('/ssebench/config.yaml'))],
    ['/ssebench/config.yaml is not valid YAML', ({ write }) => write('/ssebench/config.yaml', 'a: [')],
    ['source: /src/app is no directory in the image', ({ at }) => rmSync(at('/src/app'), { recursive: true })],
    [
      'source: /src/app leads through a symbolic link',
      ({ at }) => {
        execFileSync('mv', [at('/src'), at('/srv')]);
        symlinkSync('srv', at('/src'));
      },
    ],
    [
      "source: /src can't be entered by other users. Add `RUN chmod o+x /src`",
      ({ at }) => chmodSync(at('/src'), 0o700),
    ],
    [
      'source: /usr is a place of the system',
      ({ write }) => write('/ssebench/config.yaml', CONFIG.replace('/src/app', '/usr')),
    ],
    [
      '/ssebench/scripts/build.sh is not executable. Add `RUN chmod +x /ssebench/scripts/build.sh`',
      ({ at }) => chmodSync(at('/ssebench/scripts/build.sh'), 0o644),
    ],
    ['/ssebench/pocs/a is named in /ssebench/config.yaml but is no file', ({ at }) => rmSync(at('/ssebench/pocs/a'))],
    ['/ssebench/diffs/patch.diff is named', ({ at }) => rmSync(at('/ssebench/diffs/patch.diff'))],
  ])('%s', (message, breakIt) => {
    const image = caseImage();
    breakIt(image);
    writeFileSync(image.at('/env.json'), '{}');
    const program = join(import.meta.dirname, 'main.ts');
    const { status, stderr } = spawnSync(
      process.execPath,
      [program, 'work', '--script-env', image.at('/env.json'), '--root', image.root],
      { encoding: 'utf8' },
    );
    expect(stderr).toContain(`image_unusable: ${message}`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(3);
  });
});

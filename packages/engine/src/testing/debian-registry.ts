import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const CACHE = resolve(import.meta.dirname, '../../../../.cache/docker-registry');
const PROGRAM = join(CACHE, 'usr/bin/docker-registry');
/** Who may use a registry that wants a login. */
export const REGISTRY_LOGIN = { username: 'publisher', password: 'secret' };
/** bcrypt of that password. */
const SECRET_HASH = '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a';

/** A registry server that runs on loopback. */
export interface DebianRegistry extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  host: string;
  /** Where it keeps everything, for tests that break it. */
  storage: string;
}

/**
 * Debian's registry server on a free port of loopback, empty. The package is installed, or its program is taken from Debian once.
 * @param login whether it wants `REGISTRY_LOGIN`
 */
export async function startDebianRegistry({ login = false } = {}): Promise<DebianRegistry> {
  const program = programPath();
  const directory = mkdtempSync(join(tmpdir(), 'sse-registry-'));
  const storage = join(directory, 'storage');
  const passwords = join(directory, 'htpasswd');
  writeFileSync(passwords, `${REGISTRY_LOGIN.username}:${SECRET_HASH}\n`);
  const config = {
    version: '0.1',
    storage: { filesystem: { rootdirectory: storage }, delete: { enabled: true } },
    http: { addr: '127.0.0.1:0' },
    ...(login && { auth: { htpasswd: { realm: 'test', path: passwords } } }),
  };
  // JSON is YAML.
  writeFileSync(join(directory, 'config.yml'), JSON.stringify(config));
  const child = spawn(program, ['serve', join(directory, 'config.yml')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const lines = createInterface({ input: child.stderr });
  const host = await new Promise<string>((found, fail) => {
    child.once('error', fail);
    void ended.then(() => fail(new Error('the registry ended before it listened')));
    lines.on('line', (line) => {
      const address = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address) found(address);
    });
  });
  return {
    host,
    storage,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function programPath(): string {
  if (existsSync('/usr/bin/docker-registry')) return '/usr/bin/docker-registry';
  if (existsSync(PROGRAM)) return PROGRAM;
  mkdirSync(join(CACHE, '..'), { recursive: true });
  const fresh = mkdtempSync(`${CACHE}-`);
  try {
    const fetch = 'apt-get download docker-registry && dpkg-deb -x docker-registry_*.deb .';
    execFileSync('sh', ['-c', fetch], { cwd: fresh, stdio: 'pipe', timeout: 120_000 });
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(fresh, CACHE);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return PROGRAM;
}

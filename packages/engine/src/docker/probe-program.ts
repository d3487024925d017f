/** What a probe's container is asked to find out. */
export interface ProbeRequest {
  /** A mounted directory of this host; null where there is none. */
  directory: string | null;
  /** The same for a socket. */
  sockets: string | null;
  /** Users that root must be able to become. */
  users: readonly number[];
  /** What is written to `results` in the directory, and told to one caller of the socket `s`. */
  word: string;
}

export interface ProbeFindings {
  /** Why root can't give files to another user, run a program as one and end it; null when it can. */
  users: string | null;
  /** Why root can't use the directory as a run uses that of its results; null when it can, or there is none. */
  writes: string | null;
  /** What the container's control groups say, as the kernel writes it; null for what can't be read. */
  memory: string | null;
  cpus: string | null;
  pids: string | null;
}

/**
 * Runs in a container with this host's Node.js, as root and with nothing of the image. Its argument is a `ProbeRequest`;
 * it prints its `ProbeFindings` as a line of JSON and, where there is a directory for it, serves the socket before.
 */
export const PROBE_PROGRAM = `
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
process.umask(0o022);
const { directory, sockets, users, word } = JSON.parse(process.argv[1]);

function first(...paths) {
  for (const path of paths) {
    try { return fs.readFileSync(path, 'utf8').trim(); } catch {}
  }
  return null;
}

async function trying(what) {
  try { await what(); return null; } catch (error) { return error.message; }
}

// Gives a new directory of the parent to each user in turn, lets a program of that user's write there, and ends it.
async function switchUsers(parent, backTo) {
  for (const uid of users) {
    const place = parent + '/given-' + uid;
    fs.mkdirSync(place);
    fs.chownSync(place, uid, uid);
    const script = "require('node:fs').writeFileSync(process.argv[1], ''); console.log('here'); setInterval(() => {}, 1e6)";
    const child = spawn(process.execPath, ['-e', script, place + '/file'], { uid, gid: uid, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => { said += text; });
    const ended = once(child, 'close');
    const began = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
    if (!began) throw new Error('a program of user ' + uid + ' fails: ' + said.trim().split('\\n').find((line) => /Error/.test(line)));
    process.kill(child.pid, 'SIGKILL');
    await ended;
    if (fs.statSync(place + '/file').uid !== uid) throw new Error('a file of user ' + uid + ' belongs to somebody else');
    if (backTo) for (const path of [place + '/file', place]) fs.chownSync(path, backTo.uid, backTo.gid);
  }
}

(async () => {
  const scratch = '/probe-scratch';
  const found = {
    users: await trying(async () => { fs.mkdirSync(scratch, { mode: 0o755 }); await switchUsers(scratch); }),
    writes: directory === null ? null : await trying(async () => {
      fs.writeFileSync(directory + '/results', word);
      await switchUsers(directory, fs.statSync(directory));
    }),
    memory: first('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'),
    cpus: first('/sys/fs/cgroup/cpu.max', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    pids: first('/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/pids/pids.max'),
  };
  const tell = () => console.log(JSON.stringify(found));
  if (sockets === null) return tell();
  process.umask(0);
  const server = require('node:net').createServer((caller) => { caller.end(word); server.close(); });
  server.once('error', tell);
  server.listen(sockets + '/s', tell);
})();
`;

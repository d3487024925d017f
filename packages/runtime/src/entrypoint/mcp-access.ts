import { chownSync, lstatSync, mkdirSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENV, MCP_UID } from '@ssebench/contracts/layout';
import { LoopbackRelay } from '../relay/loopback-relay.ts';
import { within } from '../system/waiting.ts';
import { log } from './log.ts';
import { programArgv } from './program.ts';
import { rootEnvironment } from './root-environment.ts';
import { Service } from './service.ts';
import type { Settings } from './settings.ts';

/** How long the server may take to start, and to end. Milliseconds. */
const START_MS = 30_000;
const STOP_MS = 1_000;

/**
 * The agent's way to its tool while its phase lasts: a port of the loopback. The server behind it is started when somebody
 * connects, so that a run without it costs nothing, and again when it has ended. It runs as a user of its own, which is
 * nobody else's and has nothing but the agent-facing socket.
 */
export class McpAccess {
  readonly #settings: Settings;
  readonly #relays: LoopbackRelay[] = [];
  #server: Service | undefined;
  #ready: Promise<boolean | undefined> = Promise.resolve(false);
  #closed = false;

  private constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Resolves when the port is open. @throws the error of `listen`, and of making the server's directories */
  static async open(settings: Settings): Promise<McpAccess> {
    const access = new McpAccess(settings);
    makeDirectories(settings);
    await access.#listen('127.0.0.1');
    // `localhost` may be either; a machine may have no IPv6.
    await access.#listen('::1').catch((error) => log('INFO', 'No MCP server on ::1', { reason: String(error) }));
    return access;
  }

  /** Ends the server, and with it whatever is connected. Bounded; never throws. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#relays.map((relay) => relay.close()));
    await this.#server?.stop(STOP_MS);
    try {
      // Nothing of the phase is left for the checks that grade.
      if (this.#settings.root) rmSync(this.#settings.mcpLogDir, { recursive: true, force: true });
    } catch (error) {
      log('WARN', 'Logs of the MCP server are left', { error: String(error) });
    }
  }

  async #listen(host: '127.0.0.1' | '::1'): Promise<void> {
    const { mcpPort: port, mcpSocket: socketPath } = this.#settings;
    this.#relays.push(await LoopbackRelay.open({ host, port, socketPath, prepare: () => this.#serve() }));
  }

  /** Returns when the server that runs is ready, or has failed to be. Never throws: a run does not end by its tool. */
  async #serve(): Promise<void> {
    try {
      if (!this.#closed && !this.#server?.running) {
        this.#server = this.#start();
        this.#ready = within(this.#server.ready, START_MS);
      }
      if (!(await this.#ready)) log('WARN', 'The MCP server is not ready: see mcp.log');
    } catch (error) {
      log('WARN', 'The MCP server could not be started', { error: String(error) });
    }
  }

  #start(): Service {
    const { results, agentSocket, mcpSocket, mcpLogDir, agentTimeout, root } = this.#settings;
    return new Service({
      name: 'mcp',
      argv: programArgv('mcp'),
      env: rootEnvironment(
        { [ENV.difficulty]: process.env[ENV.difficulty] },
        {
          HOME: '/nonexistent',
          USER: 'mcp',
          LOGNAME: 'mcp',
          [ENV.daemonSocket]: agentSocket,
          [ENV.mcpSocket]: mcpSocket,
          [ENV.mcpLogDir]: mcpLogDir,
          [ENV.timeout]: String(agentTimeout),
        },
      ),
      logPath: join(results, 'mcp.log'),
      user: root ? MCP_UID : undefined,
    });
  }
}

function makeDirectories({ mcpSocket, mcpLogDir, root }: Settings): void {
  makeOwn(dirname(mcpSocket), 0o700, root);
  makeOwn(mcpLogDir, 0o755, root);
}

/**
 * A directory of the server's, empty, in one of root's: what the image holds in their place goes, while nobody else runs
 * yet. So nobody can put anything else there later.
 */
function makeOwn(path: string, mode: number, root: boolean): void {
  if (!root) return void mkdirSync(path, { recursive: true, mode });
  const parent = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (parent && !isRootsAlone(parent)) rmSync(dirname(path), { recursive: true, force: true });
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode });
  chownSync(path, MCP_UID, MCP_UID);
}

function isRootsAlone(stats: Stats): boolean {
  const othersCanReplace = (stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0;
  return stats.isDirectory() && stats.uid === 0 && !othersCanReplace;
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { SqliteLedger } from '../ledger/sqlite-ledger.ts';
import { FolderCatalog } from '../models/catalog.ts';
import { modelPricing } from '../prices/pricing.ts';
import { Recordings } from '../recording/recordings.ts';
import { Replays } from '../replay/replays.ts';
import { Admin } from './admin.ts';
import { BodyRoom } from './body-room.ts';
import { ClientListeners } from './client-listeners.ts';
import { Forwards } from './forwards.ts';
import type { Gateway, Limits } from './gateway.ts';
import { sendJson } from './http.ts';
import { LiveCalls } from './live-calls.ts';
import { RETRY } from './retry.ts';
import { settingsOf } from './run-settings.ts';
import { adminSocket, keepPort, lastPort, openStateDir, removeStaleSocket } from './state-dir.ts';
import { systemClock } from './system-clock.ts';
import { Upstream } from './upstream.ts';

export interface GatewayOptions {
  readonly stateDir: string;
  readonly modelsDir: string;
  readonly envFile: string;
  readonly version: string;
  /** What it was started from; told in `status`. */
  readonly build: string;
  /** It ends by itself after this long without a run. */
  readonly idleMs: number;
  readonly limits?: Partial<Limits>;
  readonly log: (line: string) => void;
}

/** Of one run's requests under way. */
const BODIES_BYTES = 256 * 1024 * 1024;

const LIMITS: Limits = { bodyBytes: 32 * 1024 * 1024, waitMs: 60_000, stallMs: 30_000, retry: RETRY };

/**
 * The gateway of a state directory: its ledger, the admin socket, a socket for every run that is under way, and a port of the
 * loopback. There is one at a time; runs that an earlier process left go on where it stopped.
 */
export class GatewayProcess {
  readonly baseUrl: string;
  /** Resolves when it has ended: asked to, or idle. Everything is settled and closed then. */
  readonly ended: Promise<void>;
  readonly #gateway: Gateway;
  readonly #ledger: SqliteLedger;
  readonly #listeners: ClientListeners;
  readonly #forwards: Forwards;
  readonly #admin: Server;
  readonly #idleMs: number;
  readonly #end = Promise.withResolvers<void>();
  #idle: NodeJS.Timeout | undefined;
  #stopping = false;

  /** @throws LedgerError `busy` when another process serves the directory; Error of the system */
  static async start(options: GatewayOptions): Promise<GatewayProcess> {
    const { stateDir, modelsDir, envFile, log } = options;
    openStateDir(stateDir);
    const ledger = new SqliteLedger(stateDir, { grouped: true });
    const gateway: Gateway = {
      ledger,
      catalog: new FolderCatalog(modelsDir, envFile),
      pricing: modelPricing,
      clock: systemClock,
      upstream: new Upstream(),
      calls: new LiveCalls(),
      bodies: new BodyRoom(BODIES_BYTES),
      recordings: new Recordings(),
      replays: new Replays(),
      limits: { ...LIMITS, ...options.limits },
      log,
    };
    const listeners = new ClientListeners(gateway);
    const port = await openPort(listeners, lastPort(stateDir));
    keepPort(stateDir, port);
    await reopenRuns(gateway, listeners);
    const forwards = new Forwards(stateDir, gateway);
    await forwards.reopen();
    return new GatewayProcess(options, gateway, ledger, listeners, forwards, `http://127.0.0.1:${port}`).#listen(
      stateDir,
    );
  }

  private constructor(
    { idleMs, version, build, log }: GatewayOptions,
    gateway: Gateway,
    ledger: SqliteLedger,
    listeners: ClientListeners,
    forwards: Forwards,
    baseUrl: string,
  ) {
    this.baseUrl = baseUrl;
    this.ended = this.#end.promise;
    this.#gateway = gateway;
    this.#ledger = ledger;
    this.#listeners = listeners;
    this.#forwards = forwards;
    this.#idleMs = idleMs;
    const stop = () => {
      this.stop().catch((error: unknown) => this.#end.reject(error));
    };
    const admin = new Admin(gateway, listeners, forwards, {
      version,
      build,
      baseUrl,
      runsChanged: () => this.#watchIdle(),
      shutdown: stop,
    });
    this.#admin = createServer((request, response) => {
      admin.serve(request, response).catch((error: unknown) => {
        log(`admin: ${error instanceof Error ? error.stack : String(error)}`);
        sendJson(response, 500, '{"error":{"code":"internal","message":"the gateway failed; its log has more"}}');
      });
    });
  }

  async #listen(stateDir: string): Promise<this> {
    removeStaleSocket(stateDir);
    this.#admin.listen(adminSocket(stateDir));
    await once(this.#admin, 'listening');
    this.#watchIdle();
    return this;
  }

  #watchIdle(): void {
    clearTimeout(this.#idle);
    if (this.#stopping || this.#ledger.liveRuns().length > 0 || this.#forwards.live().length > 0) return;
    this.#idle = setTimeout(() => {
      this.stop().catch((error: unknown) => this.#end.reject(error));
    }, this.#idleMs);
  }

  /** Ends every call (settled), then the process' sockets and its ledger. The runs' keys stay valid for the next process. */
  async stop(): Promise<void> {
    if (this.#stopping) return this.ended;
    this.#stopping = true;
    clearTimeout(this.#idle);
    const closed = once(this.#admin, 'close');
    this.#admin.close();
    await this.#gateway.calls.abortAll();
    await this.#gateway.recordings.closeAll();
    await this.#gateway.replays.closeAll();
    await this.#listeners.closeAll();
    await this.#forwards.closeAll();
    await this.#gateway.upstream.close();
    this.#admin.closeAllConnections();
    await closed;
    this.#ledger[Symbol.dispose]();
    this.#end.resolve();
  }
}

async function openPort(listeners: ClientListeners, wanted: number): Promise<number> {
  try {
    return await listeners.openLoopback(wanted);
  } catch (error) {
    if (wanted === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listeners.openLoopback(0);
  }
}

/** Sockets of runs that an earlier process served. A directory that is gone belongs to a run that is over. */
async function reopenRuns({ ledger, log }: Gateway, listeners: ClientListeners): Promise<void> {
  for (const { runId, settings } of ledger.liveRuns()) {
    const { socket } = settingsOf(settings);
    if (socket === undefined) continue;
    try {
      await listeners.openRun(runId, socket);
    } catch (error) {
      log(`run ${runId}: ${(error as Error).message}`);
    }
  }
}

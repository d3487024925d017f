import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayForward, NewForward } from '@ssebench/contracts/gateway-api';
import type { RecordingState } from '@ssebench/contracts/model-calls';
import { z } from 'zod';
import type { Allowance } from '../protocols/allow.ts';
import { ClientListeners } from './client-listeners.ts';
import { type CallOutcome, serveForward } from './forward-only.ts';
import type { Gateway } from './gateway.ts';
import type { ProtocolName, Refusal } from './ports.ts';

const FILE = 'forwards.json';
/** Of forwards that are closed this many are remembered: what they used may be asked for again. */
const MAX_CLOSED = 500;
const MAX_REFUSALS = 200;

const KeptForward = z.strictObject({ ...GatewayForward.shape, ...NewForward.shape });
type KeptForward = z.infer<typeof KeptForward>;

/** A run whose calls another gateway serves. Every change is in the state directory before the call that made it returns. */
export class Forward {
  readonly kept: KeptForward;
  readonly allowance: Allowance;
  readonly #changed: () => void;

  constructor(kept: KeptForward, changed: () => void) {
    this.kept = kept;
    this.allowance = { switches: new Set(kept.allow), fields: new Set(kept.allow_fields) };
    this.#changed = changed;
  }

  get runId(): string {
    return this.kept.run_id;
  }

  get model(): string {
    return this.kept.model;
  }

  get baseUrl(): string {
    return this.kept.base_url;
  }

  /** SHA-256, hex. */
  get keyHash(): string {
    return this.kept.key_sha256;
  }

  get closed(): boolean {
    return this.kept.closed;
  }

  /** Nothing passes from here on. Calls that are under way are the caller's to end. */
  revoke(): void {
    this.kept.closed = true;
    this.#changed();
  }

  refused(protocol: ProtocolName | undefined, { code, field, found }: Pick<Refusal, 'code' | 'field' | 'found'>): void {
    const { refusals } = this.kept;
    const same = (it: (typeof refusals)[number]) => it.code === code && it.field === field && it.found === found;
    const known = refusals.find((it) => it.protocol === (protocol ?? null) && same(it));
    const last_at = new Date().toISOString();
    if (known) Object.assign(known, { count: known.count + 1, last_at });
    else if (refusals.length < MAX_REFUSALS)
      refusals.push({ run_id: this.runId, protocol: protocol ?? null, code, field, found, count: 1, last_at });
    this.#changed();
  }

  began(): void {
    this.kept.calls += 1;
    this.#changed();
  }

  ended({ ok, status, words, aborted, budgetExhausted }: CallOutcome): void {
    const { kept } = this;
    kept.last_end = new Date().toISOString();
    if (ok) kept.answered += 1;
    else if (!aborted && !budgetExhausted) kept.failed += 1;
    if (!aborted) kept.last_call = { ok, status, words };
    if (budgetExhausted) kept.budget_exhausted = true;
    this.#changed();
  }

  /** As the admin socket tells it. */
  told(): GatewayForward {
    const {
      key_sha256: _key,
      socket: _socket,
      allow: _allow,
      allow_fields: _fields,
      record: _path,
      ...told
    } = this.kept;
    return told;
  }

  keepRecording(recording: RecordingState): void {
    this.kept.recording = recording;
    this.#changed();
  }

  keepSpend(usd: string): void {
    this.kept.spent_usd = usd;
    this.#changed();
  }
}

/** A run of that name has a forward, or had one. */
export class ForwardExists extends Error {}

/** All forwards of a state directory, each with a socket of its own. */
export class Forwards {
  readonly #file: string;
  readonly #gateway: Gateway;
  readonly #listeners: ClientListeners;
  readonly #forwards = new Map<string, Forward>();

  /** What an earlier process left is there, but not listened for yet. */
  constructor(stateDir: string, gateway: Gateway) {
    this.#file = join(stateDir, FILE);
    this.#gateway = gateway;
    this.#listeners = new ClientListeners(gateway, (_, request, response, runId = '') => {
      const forward = this.#forwards.get(runId);
      if (forward === undefined) throw new Error(`no forward ${runId}`);
      return serveForward(gateway, forward, request, response);
    });
    for (const kept of read(this.#file, gateway.log)) this.#add(kept);
  }

  /** Listens for the runs that an earlier process served. A directory that is gone belongs to a run that is over. */
  async reopen(): Promise<void> {
    for (const forward of this.live()) {
      try {
        await this.#listeners.openRun(forward.runId, forward.kept.socket);
      } catch (error) {
        this.#gateway.log(`run ${forward.runId}: ${(error as Error).message}`);
      }
    }
  }

  /** @throws ForwardExists; Error of the system when its socket can't be */
  async open(asked: NewForward): Promise<void> {
    const { run_id: runId } = asked;
    if (this.#forwards.has(runId)) throw new ForwardExists(`run ${runId} has a forward, or had one`);
    await this.#listeners.openRun(runId, asked.socket);
    this.#add({
      ...asked,
      closed: false,
      calls: 0,
      answered: 0,
      failed: 0,
      last_call: null,
      last_end: null,
      budget_exhausted: false,
      spent_usd: null,
      refusals: [],
      recording: null,
    });
    this.#write();
  }

  /** Nothing passes any more, calls under way are cut, the socket is gone. Undefined: there is no such run. */
  async close(runId: string): Promise<Forward | undefined> {
    const forward = this.#forwards.get(runId);
    if (forward === undefined) return undefined;
    forward.revoke();
    await this.#gateway.calls.abort(runId);
    await this.#listeners.closeRun(runId);
    await this.#closeRecording(forward);
    return forward;
  }

  async #closeRecording(forward: Forward): Promise<void> {
    const { record, recording } = forward.kept;
    if (record === null || recording !== null) return;
    const { recordings } = this.#gateway;
    const found = await recordings.state(forward.runId, record);
    await recordings.close(forward.runId);
    forward.keepRecording(found);
  }

  get(runId: string): Forward | undefined {
    return this.#forwards.get(runId);
  }

  /** Those through which calls may pass. */
  live(): Forward[] {
    return [...this.#forwards.values()].filter(({ closed }) => !closed);
  }

  /** The sockets; the forwards stay for the next process. */
  closeAll(): Promise<void> {
    return this.#listeners.closeAll();
  }

  #add(kept: KeptForward): void {
    this.#forwards.set(kept.run_id, new Forward(kept, () => this.#write()));
  }

  #write(): void {
    const all = [...this.#forwards.values()];
    const closed = all.filter(({ closed }) => closed);
    for (const { runId } of closed.slice(0, Math.max(0, closed.length - MAX_CLOSED))) this.#forwards.delete(runId);
    const temporary = `${this.#file}.tmp`;
    writeFileSync(temporary, JSON.stringify([...this.#forwards.values()].map(({ kept }) => kept)), { mode: 0o600 });
    renameSync(temporary, this.#file);
  }
}

/** A file that a loss of power left half written, or another version wrote, keeps no other run from being served. */
function read(file: string, log: (line: string) => void): KeptForward[] {
  try {
    return z.array(KeptForward).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    log(`${file} is no list of forwards, and is put aside: ${error.message}`);
    renameSync(file, `${file}.unread`);
    return [];
  }
}

import { existsSync } from 'node:fs';
import type { RecordingState } from '@ssebench/contracts/model-calls';
import { type Begun, ExchangeRecorder } from './exchange-recorder.ts';
import { RecordingFile } from './recording-file.ts';
import { Secrets } from './secrets.ts';

interface RunRecording {
  readonly file: RecordingFile | undefined;
  /** Why there is no file, and how many exchanges are not in it. */
  readonly problem: string | null;
  lost: number;
  /** What was kept out of the latest exchange. */
  secrets?: Secrets;
}

/** The recordings of the runs that are under way. A run goes on whatever becomes of its recording. */
export class Recordings {
  readonly #runs = new Map<string, Promise<RunRecording>>();

  /** Takes up an exchange whose request is whole; undefined where it can't be recorded. @param keys of the run and of its provider */
  async begin(
    runId: string,
    path: string,
    keys: readonly string[],
    begun: (secrets: Secrets) => Begun,
  ): Promise<ExchangeRecorder | undefined> {
    const run = await this.#open(runId, path);
    if (run.file === undefined) {
      run.lost += 1;
      return undefined;
    }
    const secrets = run.secrets?.isOf(keys) ? run.secrets : new Secrets(keys);
    run.secrets = secrets;
    return new ExchangeRecorder(run.file, secrets, begun(secrets));
  }

  /** What there is of a run's recording. Of one that is not open, what its file says. */
  async state(runId: string, path: string): Promise<RecordingState> {
    const known = await this.#runs.get(runId);
    if (known !== undefined)
      return known.file?.state ?? { exchanges: 0, bytes: 0, lost: known.lost, problem: known.problem };
    if (!existsSync(path)) return { exchanges: 0, bytes: 0, lost: 0, problem: null };
    const file = await RecordingFile.open(path);
    await file.close();
    return file.state;
  }

  /** Resolves when all of the run's exchanges that are over are in its file, and that is closed. */
  async close(runId: string): Promise<void> {
    await (await this.#runs.get(runId))?.file?.close();
    this.#runs.delete(runId);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((runId) => this.close(runId)));
  }

  #open(runId: string, path: string): Promise<RunRecording> {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const opened = RecordingFile.open(path).then(
      (file): RunRecording => ({ file, problem: null, lost: 0 }),
      (error: Error): RunRecording => ({ file: undefined, problem: error.message, lost: 0 }),
    );
    this.#runs.set(runId, opened);
    return opened;
  }
}

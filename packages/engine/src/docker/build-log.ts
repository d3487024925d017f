import { StringDecoder } from 'node:string_decoder';
import type { BuildLog, BuildVertex } from './buildkit-trace.ts';

/** Lines of a failed step's output that its error repeats. */
const TAIL_LINES = 40;

interface Step {
  number: number;
  name: string;
  told: Set<'name' | 'cached' | 'error'>;
  /** The unfinished last line of each stream. */
  rest: Map<number, { decoder: StringDecoder; text: string }>;
  tail: string[];
}

/**
 * Turns what BuildKit reports into the lines that a terminal shows (`#3 [2/4] RUN make`, `#3 cc -c a.c`) and remembers
 * why the build failed.
 */
export class BuildLogWriter {
  readonly #onOutput: (line: string) => void;
  readonly #steps = new Map<string, Step>();
  #failed: { step: Step; error: string } | undefined;

  constructor(onOutput: (line: string) => void) {
    this.#onOutput = onOutput;
  }

  /** The step that failed, the end of its output and the error; `undefined` when no step did. */
  get failure(): string | undefined {
    if (!this.#failed) return undefined;
    const { step, error } = this.#failed;
    this.#flush(step);
    return [step.name, ...step.tail.map((line) => `  ${line}`), error].join('\n');
  }

  add({ vertexes, logs }: { vertexes: readonly BuildVertex[]; logs: readonly BuildLog[] }): void {
    for (const vertex of vertexes) if (vertex.started || vertex.cached || vertex.error !== '') this.#begin(vertex);
    for (const log of logs) this.#print(log);
    for (const vertex of vertexes) if (vertex.completed || vertex.error !== '') this.#end(vertex);
  }

  #begin(vertex: BuildVertex): void {
    const step = this.#step(vertex.digest);
    step.name = vertex.name;
    this.#tell(step, 'name', vertex.name);
    if (vertex.cached) this.#tell(step, 'cached', 'CACHED');
  }

  #end(vertex: BuildVertex): void {
    const step = this.#step(vertex.digest);
    this.#flush(step);
    // When one step fails the others are cancelled: they are not the cause.
    if (vertex.error === '' || /context canceled$/.test(vertex.error)) return;
    this.#tell(step, 'error', `ERROR: ${vertex.error}`);
    this.#failed ??= { step, error: vertex.error };
  }

  #print({ vertex, stream, message }: BuildLog): void {
    const step = this.#step(vertex);
    const rest = step.rest.get(stream) ?? { decoder: new StringDecoder('utf8'), text: '' };
    step.rest.set(stream, rest);
    const lines = (rest.text + rest.decoder.write(Buffer.from(message))).split(/\r*\n|\r(?!$)/);
    rest.text = lines.pop() ?? '';
    for (const line of lines) this.#line(step, line);
  }

  #flush(step: Step): void {
    for (const { text } of step.rest.values()) if (text !== '') this.#line(step, text.replace(/\r$/, ''));
    step.rest.clear();
  }

  #line(step: Step, line: string): void {
    step.tail.push(line);
    if (step.tail.length > TAIL_LINES) step.tail.shift();
    this.#onOutput(`#${step.number} ${line}`);
  }

  /** Once each: the engine repeats a step whenever anything about it changes. */
  #tell(step: Step, what: 'name' | 'cached' | 'error', line: string): void {
    if (step.told.has(what)) return;
    step.told.add(what);
    this.#onOutput(`#${step.number} ${line}`);
  }

  #step(digest: string): Step {
    const known = this.#steps.get(digest);
    if (known) return known;
    const step: Step = { number: this.#steps.size + 1, name: '', told: new Set(), rest: new Map(), tail: [] };
    this.#steps.set(digest, step);
    return step;
  }
}

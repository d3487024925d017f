import type { DialogEvent, DialogTokens } from '@ssebench/contracts/dialog';

type Tool = Extract<DialogEvent, { type: 'tool' }>;

/** What the entries of a dialog so far say, whoever wrote them. */
export class DialogState {
  /** Of the next entry. */
  seq = 0;
  /** Milliseconds since the epoch; undefined before the first entry. */
  startedAt: number | undefined;
  completed = false;
  turns = 0;
  readonly tokens: DialogTokens = { in: 0, out: 0 };
  /** Tools that have started and not ended: name by id. */
  readonly openTools = new Map<string, string>();

  /** Takes in one line; what is no entry is passed over. */
  addLine(line: string): void {
    const entry = parse(line);
    const seq = entry?.['seq'];
    if (!entry || typeof seq !== 'number' || !Number.isSafeInteger(seq)) return;
    this.seq = Math.max(this.seq, seq + 1);
    this.startedAt ??= Date.parse(String(entry['ts'])) || undefined;
    if (entry['type'] === 'complete') this.completed = true;
    if (entry['type'] === 'tool') this.#addTool(entry as Partial<Tool>);
    if (entry['type'] === 'message') this.#addMessage(entry['tokens'] as Partial<DialogTokens> | undefined);
  }

  #addTool({ tool_id: id, name, status }: Partial<Tool>): void {
    if (typeof id !== 'string') return;
    if (status === 'running') this.openTools.set(id, String(name));
    else this.openTools.delete(id);
  }

  #addMessage(tokens: Partial<DialogTokens> | undefined): void {
    this.turns += 1;
    this.tokens.in += Number(tokens?.in) || 0;
    this.tokens.out += Number(tokens?.out) || 0;
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * What a person can put right: it ends the command with one line (or one line for each problem) on standard error and no
 * stack. Everything else that is thrown is a fault of ours.
 */
export class UserError extends Error {
  /** Without a final newline; a document with several problems gives several. */
  readonly lines: readonly string[];
  readonly exitStatus: number;

  constructor(message: string | readonly string[], exitStatus = 1, options?: ErrorOptions) {
    const lines = typeof message === 'string' ? [message] : message;
    super(lines.join('\n'), options);
    this.name = 'UserError';
    this.lines = lines;
    this.exitStatus = exitStatus;
  }
}

/** The case image lacks what a run needs: a fault of the task. The message says what, where, and what to do. */
export class UnusableImageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableImageError';
  }
}

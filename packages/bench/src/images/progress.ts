/** Where a long preparation says what it does. Lines are for people; nothing decides by them. */
export interface BuildProgress {
  /** A step begins, such as `case image starter/ini-overflow`. */
  step(name: string): void;
  /** A line of the step's output. */
  line(text: string): void;
  /** A line that a person should see whatever the display is. */
  notice(text: string): void;
  /** The step that began last ended; `cached` when there was nothing to do. */
  done(cached: boolean): void;
}

export const SILENT: BuildProgress = {
  step: () => undefined,
  line: () => undefined,
  notice: () => undefined,
  done: () => undefined,
};

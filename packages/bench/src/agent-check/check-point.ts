/** `missing`: the agent can't be used like this. `note`: it can, but somebody should know. */
export type PointState = 'ok' | 'note' | 'missing';

/** One of the things that an agent's wrapper has to see to. */
export interface CheckPoint {
  readonly point: string;
  readonly state: PointState;
  /** What was found. One line. */
  readonly found: string;
  /** What to do about it; undefined where there is nothing to do. */
  readonly remedy: string | undefined;
}

export function ok(point: string, found: string): CheckPoint {
  return { point, state: 'ok', found, remedy: undefined };
}

export function note(point: string, found: string, remedy?: string): CheckPoint {
  return { point, state: 'note', found, remedy };
}

export function missing(point: string, found: string, remedy: string): CheckPoint {
  return { point, state: 'missing', found, remedy };
}

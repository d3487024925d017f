/** What a call is answered with. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Text and bytes go out whole; parts as the caller takes them, and their source is closed when the caller goes away. */
  body: string | AsyncIterable<Uint8Array>;
}

export function json(value: unknown, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

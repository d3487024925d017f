export type LogLevel = 'INFO' | 'WARN' | 'ERROR';
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Writes one logfmt line to standard output: `level=INFO service=ssebench msg="Agent started" pid=176`. */
export function log(level: LogLevel, msg: string, fields: LogFields = {}): void {
  process.stdout.write(logLine(level, msg, fields));
}

/** The line, with its end. Values that a space, a quote or a control character would break are quoted as JSON. */
export function logLine(level: LogLevel, msg: string, fields: LogFields): string {
  const parts = Object.entries({ level, service: 'ssebench', msg, ...fields }).map(
    ([key, value]) => `${key}=${quoted(String(value))}`,
  );
  return `${parts.join(' ')}\n`;
}

function quoted(value: string): string {
  return /^[^\s"=\\\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
}

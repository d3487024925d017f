/** One line on stderr, which the entrypoint sends to `daemon.log`. Values with spaces are quoted. */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> = {}): void {
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${quoted(String(value))}`);
  process.stderr.write(`level=${level.toUpperCase()} service=daemon msg=${quoted(message)}${rest.join('')}\n`);
}

function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Reading of requests, from clients of every kind: what is not there or of another type counts as empty. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function object(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(object) : [];
}

export function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of content that is a string or a list of blocks. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objects(content)
    .map((block) => string(block['text']))
    .filter((text) => text !== '')
    .join('\n');
}

/** In two pieces, as streams come in pieces. */
export function pieces(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
}

/** Written as the arguments of a call. */
export function inputText(input: JsonObject | string): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

export function sseEvent(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

export function sseData(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

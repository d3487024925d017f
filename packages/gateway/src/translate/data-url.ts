/** The parts of a `data:` URL with base64; undefined for any other URL. */
export function dataUrlParts(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const comma = url.indexOf(',');
  const match = comma < 0 ? null : /^data:([^;,]*)(?:;[^;,=]+=[^;,]*)*;base64$/i.exec(url.slice(0, comma));
  return match ? { mediaType: match[1] || 'application/octet-stream', data: url.slice(comma + 1) } : undefined;
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

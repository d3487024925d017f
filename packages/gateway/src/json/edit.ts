import type { JsonNode, JsonView } from './view.ts';

/** Bytes `start` to `end` become `text`. Edits of one text never overlap. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edit that gives a value another text. */
export function replaceValue(view: JsonView, node: JsonNode, text: string): Edit {
  return { start: view.start(node), end: view.end(node), text };
}

/** The edit that puts a member in front of an object's others. `name` needs no escape. */
export function insertMember(view: JsonView, object: JsonNode, name: string, text: string): Edit {
  const at = view.start(object) + 1;
  let empty = true;
  view.eachMember(object, () => {
    empty = false;
  });
  return { start: at, end: at, text: `"${name}":${text}${empty ? '' : ','}` };
}

/** The text with its edits; every byte beside them is the same. Without edits: the same buffer. */
export function applyEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return bytes;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

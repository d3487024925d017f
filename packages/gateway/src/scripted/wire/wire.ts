import type { Asked } from '../asked.ts';
import type { JsonObject } from '../json.ts';
import type { ScriptedReply } from '../reply.ts';

/** How one protocol is spoken by its provider. */
export interface Wire {
  /** @param path with the query: Gemini names the model and the kind of answer in it */
  read(body: JsonObject, path: string): Asked;
  whole(reply: ScriptedReply): JsonObject;
  /** The pieces of a stream, each whole events. */
  events(reply: ScriptedReply, asked: Asked): string[];
  error(status: number, message: string): JsonObject;
}

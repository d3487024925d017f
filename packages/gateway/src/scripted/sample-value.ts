import { type JsonObject, object, string } from './json.ts';

/** The plainest value that fits a JSON Schema, in JSON's or in Gemini's spelling of types. */
export function sampleValue(schema: JsonObject): unknown {
  const { const: constant, enum: values, anyOf, oneOf } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  const choice = Array.isArray(anyOf) ? anyOf[0] : Array.isArray(oneOf) ? oneOf[0] : undefined;
  if (choice !== undefined) return sampleValue(object(choice));
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'null':
      return null;
    default:
      return 'scripted';
  }
}

/** @param known values of members that it has a use for; of the others those that are required are made up */
export function sampleObject(schema: JsonObject, known: JsonObject = {}): JsonObject {
  const properties = object(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(string) : [];
  const made = required.filter((name) => !(name in known)).map((name) => [name, sampleValue(object(properties[name]))]);
  return { ...Object.fromEntries(made), ...known };
}

/** The schema's type in small letters; the first that is not null where it has several. */
export function typeOf({ type, properties }: JsonObject): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) => string(name).toLowerCase());
  return names.find((name) => name !== 'null' && name !== '') ?? names[0] ?? (properties ? 'object' : '');
}

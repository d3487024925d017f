import { DocumentError, readYaml as read, type YamlDocument } from '@ssebench/contracts/yaml-document';
import type { z } from 'zod';
import { UserError } from '../cli/errors.ts';
import { showPath } from './show-path.ts';

/**
 * Reads a YAML file against a schema.
 * @throws UserError with every problem, one line each: `path:line: key: message`
 */
export function readYaml<S extends z.ZodType>(path: string, schema: S): YamlDocument<z.output<S>> {
  return asUserError(() => read(path, schema, showPath(path)));
}

/** What `part` returns. @throws UserError with the lines of a DocumentError, and what else `part` throws */
export function asUserError<T>(part: () => T): T {
  try {
    return part();
  } catch (error) {
    if (error instanceof DocumentError) throw new UserError(error.lines, 1, { cause: error });
    throw error;
  }
}

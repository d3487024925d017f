import { datasetSchemas } from '@ssebench/bench/datasets/schemas';
import { AgentManifest } from '@ssebench/contracts/agent-manifest';
import { ChecksFile } from '@ssebench/contracts/checks';
import { DialogEntry } from '@ssebench/contracts/dialog';
import { RunEvent } from '@ssebench/contracts/events';
import { Integrity } from '@ssebench/contracts/integrity';
import { ModelsFile } from '@ssebench/contracts/model-entry';
import { PreparedImage } from '@ssebench/contracts/prepared-image';
import { EvaluatorResult, ResultFile } from '@ssebench/contracts/result';
import { SnapshotLine } from '@ssebench/contracts/snapshots';
import { Summary } from '@ssebench/contracts/summary';
import { WorkOutcome } from '@ssebench/contracts/work-outcome';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Files that people write: what may be left out is optional. */
const WRITTEN_BY_PEOPLE = {
  'docs/schema/agent.schema.json': AgentManifest,
  'docs/schema/models.schema.json': ModelsFile,
};

/** Files that we write: every key is there. */
const WRITTEN_BY_US = {
  'docs/schema/checks.schema.json': ChecksFile,
  'docs/schema/dialog-entry.schema.json': DialogEntry,
  'docs/schema/event.schema.json': RunEvent,
  'docs/schema/grade.schema.json': EvaluatorResult,
  'docs/schema/integrity.schema.json': Integrity,
  'docs/schema/prepared-image.schema.json': PreparedImage,
  'docs/schema/result.schema.json': ResultFile,
  'docs/schema/snapshot.schema.json': SnapshotLine,
  'docs/schema/summary.schema.json': Summary,
  'docs/schema/work-outcome.schema.json': WorkOutcome,
};

/** Every JSON Schema file, draft 2020-12: path from the top of the clone, and the schema. */
export function jsonSchemas(): Record<string, JsonSchema> {
  const schemas = (all: Record<string, z.ZodType>, io: 'input' | 'output') =>
    Object.entries(all).map(([path, schema]): [string, JsonSchema] => [path, z.toJSONSchema(schema, { io })]);
  const ofDatasets = Object.entries(datasetSchemas()).map(([name, schema]): [string, JsonSchema] => [
    `datasets/schema/${name}`,
    schema,
  ]);
  return Object.fromEntries([
    ...schemas(WRITTEN_BY_PEOPLE, 'input'),
    ...ofDatasets,
    ...schemas(WRITTEN_BY_US, 'output'),
  ]);
}

import { AgentManifest } from '@ssebench/contracts/agent-manifest';
import { ChecksFile } from '@ssebench/contracts/checks';
import { DatasetInfo } from '@ssebench/contracts/dataset-info';
import { DialogEntry } from '@ssebench/contracts/dialog';
import { RunEvent } from '@ssebench/contracts/events';
import { Integrity } from '@ssebench/contracts/integrity';
import { ModelsFile } from '@ssebench/contracts/model-entry';
import { PreparedImage } from '@ssebench/contracts/prepared-image';
import { EvaluatorResult, ResultFile } from '@ssebench/contracts/result';
import { Summary } from '@ssebench/contracts/summary';
import { TaskConfig } from '@ssebench/contracts/task-config';
import { WorkOutcome } from '@ssebench/contracts/work-outcome';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Files that people write: what may be left out is optional. */
const WRITTEN_BY_PEOPLE = {
  'docs/schema/agent.schema.json': AgentManifest,
  'docs/schema/models.schema.json': ModelsFile,
  'datasets/schema/dataset.schema.json': DatasetInfo,
  'datasets/schema/task.schema.json': TaskConfig,
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
  'docs/schema/summary.schema.json': Summary,
  'docs/schema/work-outcome.schema.json': WorkOutcome,
};

/**
 * At least one way to describe the task holds something. Source: spec/host §2.4; zod keeps such a rule in code, so it is
 * written down a second time here.
 */
const DESCRIBED: JsonSchema['anyOf'] = [
  { properties: { issue: { type: 'string', pattern: '\\S' } }, required: ['issue'] },
  { properties: { crash_report: { type: 'array', minItems: 1 } }, required: ['crash_report'] },
  { properties: { bug_description: { type: 'string', pattern: '\\S' } }, required: ['bug_description'] },
];

function withDescriptionRule(schema: JsonSchema): JsonSchema {
  const description = schema.properties?.['task_description'];
  if (typeof description !== 'object') throw new Error('the task config has no task_description any more');
  return { ...schema, properties: { ...schema.properties, task_description: { ...description, anyOf: DESCRIBED } } };
}

/** Every JSON Schema file, draft 2020-12: path from the top of the clone, and the schema. */
export function jsonSchemas(): Record<string, JsonSchema> {
  const input = Object.entries(WRITTEN_BY_PEOPLE).map(([path, schema]): [string, JsonSchema] => {
    const derived = z.toJSONSchema(schema, { io: 'input' });
    return [path, schema === TaskConfig ? withDescriptionRule(derived) : derived];
  });
  const output = Object.entries(WRITTEN_BY_US).map(([path, schema]): [string, JsonSchema] => [
    path,
    z.toJSONSchema(schema, { io: 'output' }),
  ]);
  return Object.fromEntries([...input, ...output]);
}

import { DatasetInfo } from '@ssebench/contracts/dataset-info';
import { DatasetManifest, ImagesLock } from '@ssebench/contracts/dataset-manifest';
import { TaskConfig } from '@ssebench/contracts/task-config';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

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

/** The files of a dataset as JSON Schemas, draft 2020-12, by the names that their files have. Source: spec/host §2.4. */
export function datasetSchemas(): Record<string, JsonSchema> {
  return {
    'dataset.schema.json': z.toJSONSchema(DatasetInfo, { io: 'input' }),
    'images-lock.schema.json': z.toJSONSchema(ImagesLock, { io: 'output' }),
    'manifest.schema.json': z.toJSONSchema(DatasetManifest, { io: 'output' }),
    'task.schema.json': withDescriptionRule(z.toJSONSchema(TaskConfig, { io: 'input' })),
  };
}

/** The text of a schema's file. */
export function renderSchema(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

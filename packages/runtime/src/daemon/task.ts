import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Capabilities, Metadata } from '@ssebench/contracts/daemon-api';
import { scalarTags } from '@ssebench/contracts/yaml-scalars';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigError } from './config.ts';
import { messageOf } from './daemon-error.ts';

const string = z.string().trim();
const text = string.nullish();
const paths = z.array(string).nullish();

/**
 * What the daemon needs of `config.yaml`. Lenient on purpose: the host has validated the file against the strict schema,
 * and an image may be older or newer than this program.
 */
const Config = z.object({
  id: string,
  project: string,
  language: string,
  source: string,
  task_description: z.object({ issue: text, crash_report: paths, bug_description: text }).nullish(),
  scripts: z.object({ build: text, run: text, test: text }).nullish(),
  files: z.object({ patch: text, future_test: text, security_test: text, intent_test: text, poc: paths }).nullish(),
});

/** A task as the daemon knows it. All paths are absolute, beneath `dir`. */
export interface Task {
  dir: string;
  /** The tree that the agent edits. */
  source: string;
  scripts: { build: string | null; run: string | null; test: string | null };
  pocs: readonly string[];
  referencePatch: string | null;
  hiddenTests: string | null;
  /** What nobody but root may read: the config, the answers and the PoCs. */
  hidden: readonly string[];
  metadata: Metadata;
  capabilities: Capabilities;
}

/**
 * Loads the task from its directory. Reports that can't be read become empty; PoCs and hidden tests need not be there,
 * because a work container has none.
 * @throws ConfigError naming the directory, the config's key or the script that is missing
 */
export function loadTask(dir: string): Task {
  const file = join(dir, 'config.yaml');
  const config = parseConfig(file);
  const inside = (path: string) => insideTask(dir, file, path);
  const optional = (path: string | null | undefined) => (path ? inside(path) : null);

  const scripts = {
    build: optional(config.scripts?.build),
    run: optional(config.scripts?.run),
    test: optional(config.scripts?.test),
  };
  const pocs = (config.files?.poc ?? []).map(inside);
  const hiddenTests = optional(config.files?.future_test);
  const referencePatch = optional(config.files?.patch);
  const others = [config.files?.security_test, config.files?.intent_test].map(optional);
  const { task_description: described } = config;

  return {
    dir,
    source: sourceOf(config.source, file),
    scripts,
    pocs,
    referencePatch,
    hiddenTests,
    hidden: [file, referencePatch, hiddenTests, ...others, ...pocs].filter((path) => path !== null),
    metadata: {
      id: config.id,
      project: config.project,
      language: config.language,
      source: config.source,
      task_description: {
        issue: described?.issue ?? null,
        crash_report: described?.crash_report?.map((path) => reportText(inside(path))) ?? null,
        bug_description: described?.bug_description ?? null,
      },
      poc: pocs,
      build_script: scriptText(scripts.build, 'build', file),
      test_script: scriptText(scripts.test, 'test', file),
    },
    capabilities: {
      can_build: scripts.build !== null,
      can_run_poc: scripts.run !== null && pocs.length > 0,
      poc_count: pocs.length,
      has_function_test: scripts.test !== null,
      has_intent_test: scripts.test !== null && hiddenTests !== null,
    },
  };
}

function parseConfig(file: string): z.infer<typeof Config> {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`the task's config can't be read: ${messageOf(error)}`, 1, { cause: error });
  }
  try {
    return Config.parse(parse(source, { customTags: scalarTags }));
  } catch (error) {
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new ConfigError(`${file} is not a task config: ${detail}`, 1, { cause: error });
  }
}

function insideTask(dir: string, file: string, path: string): string {
  const absolute = resolve(dir, path);
  const fromDir = relative(dir, absolute);
  if (fromDir === '' || fromDir.startsWith('..')) throw new ConfigError(`${file}: ${path} is not beneath ${dir}`);
  return absolute;
}

function sourceOf(source: string, file: string): string {
  if (source.startsWith('/') && statSync(source, { throwIfNoEntry: false })?.isDirectory()) return source;
  throw new ConfigError(`${file}: source: there is no directory ${source}`);
}

function scriptText(path: string | null, key: string, file: string): string | null {
  if (path === null) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: scripts.${key}: ${messageOf(error)}: copy it in the task's Dockerfile`);
  }
}

function reportText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return '';
  }
}

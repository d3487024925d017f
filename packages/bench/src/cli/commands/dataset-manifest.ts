import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatasetManifest } from '@ssebench/contracts/dataset-manifest';
import { parseJson } from '@ssebench/contracts/json-document';
import { DocumentError } from '@ssebench/contracts/yaml-document';
import { findHome } from '../../config/home.ts';
import { showPath } from '../../config/show-path.ts';
import { staleness, writeGenerated } from '../../datasets/generated-file.ts';
import { datasetsNamed } from '../../datasets/locate.ts';
import { manifestDifferences } from '../../datasets/manifest/differences.ts';
import { MANIFEST_FILE, makeManifest, renderManifest } from '../../datasets/manifest/make-manifest.ts';
import { printable } from '../../printable.ts';
import { UserError } from '../errors.ts';
import { usageError } from '../option-values.ts';
import { print } from '../output.ts';

export interface DatasetManifestOptions {
  output?: string;
  check?: boolean;
  generatedFrom?: string;
}

/** How much of the difference is shown. Source: spec/host §1.4. */
const DIFF_LINES = 40;

/** `ssebench dataset manifest`. Source: spec/host §§1.4, 3.1. @throws UserError for a dataset that can't be read */
export async function datasetManifest(where: readonly string[], options: DatasetManifestOptions): Promise<number> {
  const { output, check = false, generatedFrom } = options;
  if (generatedFrom !== undefined && !/^[0-9a-f]{40}$/.test(generatedFrom)) {
    throw usageError('--generated-from', generatedFrom, 'must be a commit of 40 hexadecimal digits');
  }
  if (output === '-' && check) throw usageError('--output', '-', 'with --check it must be a file');
  const dirs = datasetsNamed(where, findHome());
  if (output !== undefined && dirs.length > 1) throw new UserError('--output: takes one dataset; name it', 2);
  let stale = false;
  for (const dir of dirs) {
    const path = output === undefined ? join(dir, MANIFEST_FILE) : resolve(output);
    const old = check ? manifestIn(path) : undefined;
    const manifest = makeManifest(dir, generatedFrom ?? old?.generated_from);
    const text = renderManifest(manifest);
    if (output === '-') process.stdout.write(text);
    else if (check) {
      // What other programs wrote says the same in whatever order its keys stand.
      const isSame = old !== undefined && renderManifest(old) === text;
      const lines = isSame ? [] : staleness({ path, text }, DIFF_LINES, `ssebench dataset manifest ${showPath(dir)}`);
      const [head, ...diff] = lines;
      const told = old && head ? manifestDifferences(old, manifest).map((line) => `  ${line}`) : [];
      if (head) for (const line of [head, ...told, ...diff]) process.stderr.write(`${printable(line)}\n`);
      if (lines.length > 0) stale = true;
      else print(`${showPath(path)} is up to date`);
    } else {
      await writeGenerated({ path, text });
      print(`wrote ${showPath(path)} with ${manifest.tasks.length} tasks`);
    }
  }
  return stale ? 1 : 0;
}

/** The manifest that is there; undefined when there is none, or none that can be read. */
function manifestIn(path: string): DatasetManifest | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return parseJson(readFileSync(path, 'utf8'), DatasetManifest, path);
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

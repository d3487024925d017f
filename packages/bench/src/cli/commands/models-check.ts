import { unknownName } from '@ssebench/contracts/closest';
import { findingsOn, sentenceOf, type Weight, weightOf } from '../../config/model-findings.ts';
import { loadModels, type Model } from '../../config/models.ts';
import { UserError } from '../errors.ts';
import { modelsDirectory, openHost } from '../host.ts';
import { print, printJson } from '../output.ts';

export interface ModelsCheckOptions {
  json?: boolean;
}

const SHOWN: Readonly<Record<Weight, string>> = { fail: 'error', key: 'not ready', note: 'note' };

/**
 * `ssebench models check`. Status 1 when a model can't be used whatever keys are set, or when one that was named lacks its
 * key. @throws UserError for malformed files, with their lines, and for a name that there is not
 */
export function modelsCheck(names: readonly string[], options: ModelsCheckOptions): number {
  const host = openHost();
  const models = named(names, loadModels(modelsDirectory(host)));
  const failing: readonly Weight[] = names.length > 0 ? ['fail', 'key'] : ['fail'];
  const checked = models.map(({ name, place, ...model }) => ({
    name,
    place,
    findings: findingsOn({ name, place, ...model }, host.settings.get),
  }));
  if (options.json) printJson(checked.map((model) => ({ ...model, ready: model.findings.every(isNote) })));
  else for (const model of checked) for (const line of linesOf(model)) print(line);
  return checked.some(({ findings }) => findings.some((it) => failing.includes(weightOf(it)))) ? 1 : 0;
}

type Checked = { name: string; place: string; findings: ReturnType<typeof findingsOn> };

function linesOf({ name, place, findings }: Checked): string[] {
  if (findings.length === 0) return [`${name}: ready`];
  return findings.map((finding) => `${name}: ${SHOWN[weightOf(finding)]}: ${place}: ${sentenceOf(finding)}`);
}

function isNote(finding: Checked['findings'][number]): boolean {
  return weightOf(finding) === 'note';
}

function named(names: readonly string[], models: readonly Model[]): readonly Model[] {
  if (names.length === 0) return models;
  const known = models.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UserError(unknown.map((name) => unknownName('model', name, known)));
  return models.filter(({ name }) => names.includes(name));
}

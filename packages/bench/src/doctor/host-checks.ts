import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { FaultError } from '@ssebench/contracts/faults';
import { UserError } from '../cli/errors.ts';
import type { Home } from '../config/home.ts';
import { loadModels, type Model } from '../config/models.ts';
import type { Settings } from '../config/settings.ts';
import { readExtraCa } from '../images/extra-ca.ts';
import { type DoctorCheck, failure, ok, warning } from './check.ts';

const LEAST_NODE = 24;
/** With more, AddressSanitizer's shadow may meet what the kernel has mapped, and it ends with a fault of its own. */
const MOST_RANDOM_BITS = 28;
const RANDOM_BITS = '/proc/sys/vm/mmap_rnd_bits';

/** @param version of this Node.js, such as `24.22.3` */
export function nodeCheck(version: string): DoctorCheck {
  const name = 'Node.js';
  if (Number(version.split('.')[0]) >= LEAST_NODE) return ok(name, version);
  return failure(name, `${version}; ${LEAST_NODE} or newer is needed`, 'start ./ssebench, which brings its own');
}

export function homeCheck({ home }: Home): DoctorCheck {
  const missing = ['agents', 'images', 'datasets', 'models'].filter((folder) => !existsSync(join(home, folder)));
  if (missing.length === 0) return ok('Home', home);
  return failure('Home', `${home} has no ${missing.join(', ')}`, 'set SSEBENCH_HOME to a clone of the repository');
}

/** @param path of the kernel's setting */
export function randomisationCheck(path: string = RANDOM_BITS): DoctorCheck {
  const name = 'Address randomisation';
  const bits = existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined;
  if (bits === undefined) return ok(name, 'not told by this system');
  if (bits <= MOST_RANDOM_BITS) return ok(name, `vm.mmap_rnd_bits is ${bits}`);
  return warning(
    name,
    `vm.mmap_rnd_bits is ${bits}: programs with AddressSanitizer may fail by chance`,
    `sudo sysctl vm.mmap_rnd_bits=${MOST_RANDOM_BITS} (and in /etc/sysctl.d, to keep it)`,
  );
}

/** Certificate authorities that images will trust beside the usual ones. */
export function certificatesCheck({ extraCa }: Settings): DoctorCheck {
  const name = 'Certificates';
  try {
    const { certificates, notice } = readExtraCa(extraCa);
    if (certificates.length === 0) return ok(name, 'images trust what Debian trusts');
    return ok(name, notice ?? `images trust ${certificates.length} more, from ${extraCa}`);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return failure(name, error.fault.detail, 'set SSEBENCH_EXTRA_CA to a readable PEM file, or to "none"');
  }
}

/** Where Debian can come from when its image can't be pulled. */
export function bootstrapCheck(haveRoot: boolean, path: string = process.env['PATH'] ?? ''): DoctorCheck {
  const name = 'Base system';
  if (haveRoot) return ok(name, 'the root image is there');
  if (path.split(delimiter).some((dir) => existsSync(join(dir, 'mmdebstrap')))) {
    return ok(name, "Debian's image will be pulled, or made with mmdebstrap");
  }
  return warning(
    name,
    "Debian's image will be pulled; mmdebstrap is not installed to make one where that fails",
    'sudo apt-get install mmdebstrap',
  );
}

/** What each model lacks, by its name; the JSON output has it. */
export type MissingKeys = Record<string, string[]>;

export function providerKeysCheck(modelsDir: string, settings: Settings): { check: DoctorCheck; missing: MissingKeys } {
  const name = 'Provider keys';
  try {
    const models = loadModels(modelsDir);
    const missing = Object.fromEntries(models.map((model) => [model.name, lacking(model, settings)]));
    return { check: keysCheck(name, models, settings), missing };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { check: failure(name, error.lines.join('; '), 'put the model files right'), missing: {} };
  }
}

function keysCheck(name: string, models: readonly Model[], settings: Settings): DoctorCheck {
  const keys = [...new Set(models.flatMap(({ requiredKeys }) => requiredKeys))].sort();
  const told = keys.map((key) => {
    const count = models.filter(({ requiredKeys }) => requiredKeys.includes(key)).length;
    return `${key} (${count} ${count === 1 ? 'model' : 'models'}) ${placeOf(key, settings)}`;
  });
  const unset = keys.filter((key) => settings.get(key) === undefined);
  if (unset.length === 0) return ok(name, told.join(', ') || 'no model needs one');
  return warning(name, told.join(', '), `put ${unset.join(', ')} into .env for the models that you want to run`);
}

function placeOf(key: string, settings: Settings): string {
  const source = settings.sourceOf(key);
  return source === undefined ? 'is not set' : `is set in ${source === '.env' ? '.env' : 'the environment'}`;
}

function lacking({ requiredKeys }: Model, settings: Settings): string[] {
  return requiredKeys.filter((key) => settings.get(key) === undefined);
}

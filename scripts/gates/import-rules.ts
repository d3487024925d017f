import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Which packages of ours a package may import. A package is a place where code runs and what it is trusted with (docs/architecture.md). */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  sdk: ['contracts'],
  runtime: ['contracts', 'sdk'],
  gateway: ['contracts'],
  engine: ['contracts'],
  bench: ['contracts', 'engine', 'gateway'],
  web: ['contracts', 'bench'],
};

const SCOPE = '@ssebench/';

/** Every module that a source names: imports, re-exports, `import()` of a constant, and types alike. */
function importsOf(file: string, source: string): { specifier: string; line: number }[] {
  const { module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  const static_ = module.staticImports.map(({ moduleRequest }) => moduleRequest);
  const exported = module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest));
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => ({
    ...moduleRequest,
    value: source.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
  }));
  return [...static_, ...exported, ...dynamic]
    .filter((request) => request !== null)
    .map(({ value, start }) => ({ specifier: value, line: source.slice(0, start).split('\n').length }));
}

/**
 * The imports of `file` that cross from its package to one that it may not know, each as `path:line: what, and what is
 * allowed`. Files outside `packages/` may import everything.
 * @param file relative to `root`
 */
export function forbiddenImports(root: string, file: string): string[] {
  const [top, name] = file.split(sep);
  if (top !== 'packages' || name === undefined) return [];
  const allowed = MAY_IMPORT[name];
  if (!allowed) return [`${file}: package ${name} has no import rule; give it one in scripts/gates/import-rules.ts`];
  const home = join(root, 'packages', name);
  return importsOf(file, readFileSync(join(root, file), 'utf8')).flatMap(({ specifier, line }) => {
    if (specifier.startsWith('.')) {
      const target = resolve(dirname(join(root, file)), specifier);
      if (!relative(home, target).startsWith('..')) return [];
      return [`${file}:${line}: ${specifier} leaves the package; import ${SCOPE}<package>/<file>`];
    }
    if (!specifier.startsWith(SCOPE)) return [];
    const target = specifier.slice(SCOPE.length).split('/')[0] ?? '';
    if (target === name) return [`${file}:${line}: ${specifier} is this package; import it by a relative path`];
    if (allowed.includes(target)) return [];
    return [`${file}:${line}: ${name} may not import ${specifier}; allowed: ${allowed.join(', ') || 'none of ours'}`];
  });
}

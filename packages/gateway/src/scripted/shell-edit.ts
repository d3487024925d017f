import type { Act } from './scenario.ts';

type EditAct = Extract<Act, { do: 'edit' }>;

/** A word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Replaces the first place where `old` stands, with what every POSIX system has. Fails, and changes nothing, without one. */
export function editCommand({ path, old, new: by }: EditAct): string {
  const program =
    'BEGIN { RS = "\\001"; ORS = "" } ' +
    '{ at = index($0, ENVIRON["OLD"]); if (!at) exit 1; ' +
    'print substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(ENVIRON["OLD"])) }';
  const file = quoted(path);
  return (
    `changed=$(mktemp) && OLD=${quoted(old)} NEW=${quoted(by)} awk '${program}' ${file} >"$changed" ` +
    `&& cat "$changed" >${file}; status=$?; rm -f "$changed"; [ $status -eq 0 ]`
  );
}

/** In the language of the tool `apply_patch`. */
export function applyPatchText({ path, old, new: by }: EditAct): string {
  const lines = (sign: string, text: string) => text.split('\n').map((line) => `${sign}${line}`);
  const changes = [...lines('-', old), ...lines('+', by)];
  return ['*** Begin Patch', `*** Update File: ${path}`, '@@', ...changes, '*** End Patch', ''].join('\n');
}

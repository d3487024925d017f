/**
 * What `bash -c` runs for each call. On descriptor 3 it gets, each ended by a NUL, what to restore and the command; there
 * it leaves, at its exit, the directory and the exported variables. The command has descriptor 3 closed: neither it nor
 * what it leaves running can write there or keep it open. It does not come as an argument, whose length is limited.
 */
export const WRAPPER = `
IFS= read -r -d '' -u 3 __sse_state
IFS= read -r -d '' -u 3 __sse_command
trap 'trap - EXIT; { builtin pwd && printf "\\0" && declare -px; } >&3' EXIT
eval "$__sse_state" 2>/dev/null 3>&-
unset __sse_state
eval "$__sse_command" 3>&-
`;

/** The text that enters a directory. Bytes in, bytes out: names of directories need not be UTF-8. */
export function entering(directory: Buffer): Buffer {
  return Buffer.from(`cd -- '${directory.toString('latin1').replaceAll("'", "'\\''")}'\n`, 'latin1');
}

/** The text that restores what a call left; undefined when the call did not leave all of it. */
export function restoring(left: Buffer): Buffer | undefined {
  const end = left.indexOf('\n\0');
  if (end < 0 || left.at(-1) !== 0x0a) return undefined;
  return Buffer.concat([entering(left.subarray(0, end)), left.subarray(end + 2)]);
}

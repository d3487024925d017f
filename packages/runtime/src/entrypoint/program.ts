/** The command line that starts another program of this same bundle, with this same Node.js. */
export function programArgv(program: 'daemon' | 'evaluator' | 'mcp'): [string, ...string[]] {
  const [, bundle] = process.argv;
  if (!bundle) throw new Error('not started from a file');
  return [process.execPath, bundle, program];
}
